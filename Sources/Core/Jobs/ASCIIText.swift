/// A text of at most 64 ASCII characters, such as an id, a time or a digest. Its bytes are stored inline: each job makes many such
/// texts, which need no memory of their own.
public struct ASCIIText: Sendable {
  private var bytes = InlineArray<64, UInt8>(repeating: 0)
  private var count = 0

  /// An empty text.
  public init() {}

  /// The text as a string.
  public var text: String { String(ascii: bytes.span.extracting(first: count)) }

  /// Appends a character.
  public mutating func append(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  /// Appends another text.
  public mutating func append(_ other: ASCIIText) {
    for index in 0..<other.count { append(other.bytes[index]) }
  }

  /// Appends the two lower-case hex digits of a byte.
  public mutating func append(hex byte: UInt8) {
    append(Hex.lowercase(byte >> 4))
    append(Hex.lowercase(byte))
  }

  /// Appends the text's bytes to an array.
  public func append(to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(self.bytes[index]) }
  }
}

extension String {
  /// Creates a string from bytes that are all ASCII, without a buffer in between.
  init(ascii bytes: Span<UInt8>) {
    do {
      self.init(copying: try UTF8Span(validating: bytes))
    } catch {
      preconditionFailure("bytes that are not ASCII")
    }
  }
}

extension Span<UInt8> {
  /// True if the bytes are well-formed UTF-8.
  public var isUTF8: Bool {
    do {
      _ = try UTF8Span(validating: self)
      return true
    } catch {
      return false
    }
  }
}
