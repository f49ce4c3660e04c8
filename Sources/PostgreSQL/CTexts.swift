import Glibc

/// Swift's texts as an array of C's, which ends with null.
enum CTexts {
  /// Calls the body with the array. It lives as long as the call; a nil text is a null pointer.
  static func with<Value>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    var copies = unsafe texts.map { text in unsafe text.map { unsafe UnsafePointer<CChar>(strdup($0)) } ?? nil }
    unsafe copies.append(nil)
    defer {
      for index in unsafe copies.indices { unsafe free(UnsafeMutablePointer(mutating: copies[index])) }
    }
    return unsafe body(copies)
  }
}
