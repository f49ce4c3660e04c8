import Glibc

/// Converts Swift strings to a null-terminated array of C strings.
enum CTexts {
  /// True if a text contains a NUL, at which it would end in C.
  static func hasNUL(_ text: String) -> Bool {
    unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe bytes.baseAddress.map { unsafe memchr($0, 0, bytes.count) != nil } ?? false
    } ?? text.utf8.contains(0)
  }

  /// Calls the body with the array, which is valid only during the call. A nil text becomes a null pointer.
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
