import FoundationEssentials
public import HTTPTransfer
import Jobs
import Messages

/// The value of a key, token or secret. It is a line of text, or a text of several lines (PEM). Printing it shows `<secret>`.
public struct Secret: Hashable, Sendable {
  /// The maximum size of a secret in bytes, before line ends are trimmed.
  public static let limit = 64 * 1024

  /// The form of a secret.
  public enum Form: Hashable, Sendable {
    /// One line, which fits into a header.
    case line
    /// A text of several lines, such as a PEM file.
    case lines
    /// 256 bits: 32 bytes, or their base64 on one line. Its text is the base64.
    case key256
  }

  /// The value, for a header or a signature.
  public let text: String

  /// The value's UTF-8 bytes.
  public var bytes: [UInt8] { Array(text.utf8) }

  /// The 32 bytes of a key of 256 bits; none for a secret of another form.
  public var key256: [UInt8] { Self.key256(bytes) ?? [] }

  /// Returns the bytes of a key of 256 bits as a file holds it: 32 bytes, or their base64 (RFC 4648, section 4) on one line. A line end
  /// after either, as an editor adds it, is ignored.
  private static func key256(_ raw: [UInt8]) -> [UInt8]? {
    if raw.count == 32 { return raw }
    var line = raw[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.count == 32 { return Array(line) }
    guard line.count == 44, let key = Data(base64Encoded: String(decoding: line, as: UTF8.self)), key.count == 32
    else { return nil }
    return Array(key)
  }

  init(checked text: String) { self.text = text }

  /// Creates a secret from an answer of another program; nil for a value that is not fit for a header.
  package init?(text: String) {
    // Ignored: the caller names the answer.
    guard let secret = try? Secret(Array(text.utf8)) else { return nil }
    self = secret
  }

  /// Creates a secret from the content of a file or a variable. A byte order mark before the value and line ends after it are trimmed,
  /// because editors and `echo` add them.
  /// A line break or a control character inside is refused: it could add another header (RFC 9110, section 5.5). The words of the fault are
  /// a predicate of the file or the variable.
  init(_ raw: [UInt8], _ form: Form = .line) throws(KeyFault) {
    guard raw.count <= Self.limit else { throw KeyFault(.secretTooLong) }
    if form == .key256 {
      guard !raw.isEmpty else { throw KeyFault(.secretEmpty) }
      guard let bytes = Self.key256(raw) else { throw KeyFault(.secretNoKey256) }
      text = Data(bytes).base64EncodedString()
      return
    }
    var value = raw.starts(with: "\u{FEFF}".utf8) ? raw.dropFirst(3) : raw[...]
    while let last = value.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { value.removeLast() }
    guard !value.isEmpty else { throw KeyFault(.secretEmpty) }
    guard value.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || (form == .lines && [0x09, 0x0A, 0x0D].contains($0)) }) else {
      throw KeyFault(.secretControlCharacter)
    }
    guard let text = String(validating: value, as: UTF8.self) else { throw KeyFault(.secretNotText) }
    self.text = text
  }
}

extension Secret: Redacted {
  /// Never shows the value.
  public var description: String { "<secret>" }
}
