import CPCRE2

/// A compiled regular expression for names of files, with named parts such as `(?<case>\d+)_(?<kind>[a-z]+)\.pdf`.
///
/// PCRE2 matches it against the whole name, in a limited number of steps. It is interpreted, because the service may not make memory
/// executable. A name that is not UTF-8 never matches. `\d`, `\w` and `\s` mean ASCII.
@safe public final class NameExpression: @unchecked Sendable {
  // Sound: after `init` PCRE2 only reads both ("MULTITHREADING" in pcre2api(3)), and each match has its own match data.
  private let code: OpaquePointer
  private let limits: OpaquePointer
  /// The numbers of the groups, with their names.
  private let groups: [(number: Int, name: String)]

  /// The expression as it was written.
  public let text: String

  /// The names of the parts, in the order of the expression.
  public var captures: [String] {
    groups.reduce(into: []) { names, group in if !names.contains(group.name) { names.append(group.name) } }
  }

  /// The maximum length of an expression in bytes.
  public static let longest = 1024
  /// The maximum number of named parts.
  public static let mostCaptures = 16
  /// The maximum number of steps of a match, as PCRE2 counts them: less than a millisecond.
  public static let mostSteps = 20_000
  /// The maximum number of nested backtracking points.
  private static let deepest = 1_000
  /// The maximum memory of a match, in KiB.
  private static let mostMemory = 1_024

  /// Compiles an expression.
  public init(_ text: String) throws(NameExpressionFault) {
    guard text.utf8.count <= Self.longest else {
      throw NameExpressionFault(words: "it is longer than \(Self.longest) bytes")
    }
    let code = unsafe try Self.compiled(text)
    guard let limits = unsafe pcre2_match_context_create_8(nil) else {
      unsafe pcre2_code_free_8(code)
      throw NameExpressionFault(words: "there is no memory for it")
    }
    _ = unsafe pcre2_set_match_limit_8(limits, UInt32(Self.mostSteps))
    _ = unsafe pcre2_set_depth_limit_8(limits, UInt32(Self.deepest))
    _ = unsafe pcre2_set_heap_limit_8(limits, UInt32(Self.mostMemory))
    self.text = text
    unsafe self.code = unsafe code
    unsafe self.limits = unsafe limits
    groups = unsafe Self.groups(of: code)
    try checkNames()
  }

  deinit {
    unsafe pcre2_match_context_free_8(limits)
    unsafe pcre2_code_free_8(code)
  }

  /// The result of a match.
  public enum Match: Equatable, Sendable {
    /// The name does not match.
    case no
    /// The limits ended the match before it was decided.
    case undecided
    /// The name matches; the parts that took part in it, by name.
    case yes([String: String])
  }

  /// Matches a whole name.
  public func match(_ name: [UInt8]) -> Match {
    do {
      _ = try UTF8Span(validating: name.span)
    } catch {
      return .no
    }
    guard let data = unsafe pcre2_match_data_create_from_pattern_8(code, nil) else { return .undecided }
    defer { unsafe pcre2_match_data_free_8(data) }
    let result = unsafe name.withUnsafeBufferPointer { bytes in
      unsafe pcre2_match_8(code, bytes.baseAddress, bytes.count, 0, 0, data, limits)
    }
    if result == PCRE2_ERROR_NOMATCH { return .no }
    guard result > 0, let ends = unsafe pcre2_get_ovector_pointer_8(data) else { return .undecided }
    var parts: [String: String] = [:]
    // Groups behind the last that took part are beyond `result`. A group that took none has no offsets.
    for group in groups where group.number < Int(result) && parts[group.name] == nil {
      let (start, end) = unsafe (ends[2 * group.number], ends[2 * group.number + 1])
      guard let bytes = Self.range(start, end, in: name) else { continue }
      parts[group.name] = String(decoding: name[bytes], as: UTF8.self)
    }
    return .yes(parts)
  }

  /// The range between two offsets; nil for those of a group that took no part, which are the greatest number.
  private static func range(_ start: Int, _ end: Int, in name: [UInt8]) -> Range<Int>? {
    name.startIndex <= start && start <= end && end <= name.endIndex ? start..<end : nil
  }

  /// The whole name must match.
  private static let options: UInt32 =
    PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY
    | PCRE2_NEVER_BACKSLASH_C

  private static func compiled(_ text: String) throws(NameExpressionFault) -> OpaquePointer {
    let bytes = Array(text.utf8)
    var (error, offset): (Int32, Int) = (0, 0)
    let code = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe pcre2_compile_8(bytes.baseAddress, bytes.count, options, &error, &offset, nil)
    }
    if let code = unsafe code { return unsafe code }
    let position = String(decoding: bytes.prefix(max(0, offset)), as: UTF8.self).count
    throw NameExpressionFault(words: words(of: error), position: position + 1)
  }

  private static func words(of error: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let length = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      unsafe pcre2_get_error_message_8(error, buffer.baseAddress, buffer.count)
    }
    return length > 0 ? String(decoding: buffer.prefix(Int(length)), as: UTF8.self) : "error \(error)"
  }

  /// The named groups, in the order of their numbers. An entry of PCRE2's table has the number in two bytes, then the name and a zero.
  private static func groups(of code: OpaquePointer) -> [(number: Int, name: String)] {
    var (count, size): (UInt32, UInt32) = (0, 0)
    var table: UnsafePointer<UInt8>?
    _ = unsafe pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMECOUNT), &count)
    _ = unsafe pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMEENTRYSIZE), &size)
    _ = unsafe pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMETABLE), &table)
    guard let table = unsafe table else { return [] }
    let groups = (0..<Int(count)).map { index in
      let entry = unsafe UnsafeBufferPointer(start: table + index * Int(size), count: Int(size))
      let number = unsafe Int(entry[0]) << 8 | Int(entry[1])
      return unsafe (number: number, name: String(decoding: entry.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self))
    }
    return groups.sorted { $0.number < $1.number }
  }

  private func checkNames() throws(NameExpressionFault) {
    let names = captures
    guard names.count <= Self.mostCaptures else {
      throw NameExpressionFault(words: "it names more than \(Self.mostCaptures) parts")
    }
    for name in names where !Self.isName(name) {
      throw NameExpressionFault(
        words: "it names a part \(name): a name has lower-case letters, digits and _, and begins with a letter")
    }
  }

  private static func isName(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = name.utf8.first, letters.contains(first) else { return false }
    return name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
  }
}

/// The reason why a text is no expression for names.
public struct NameExpressionFault: Error, Hashable, Sendable {
  /// The fault in words.
  public let words: String
  /// The character at which it was found, counted from 1; nil if it is of the whole.
  public let position: Int?

  init(words: String, position: Int? = nil) {
    self.words = words
    self.position = position
  }
}
