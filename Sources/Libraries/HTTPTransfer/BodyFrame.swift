/// The bytes that go before, between and after those of a file.
///
/// A frame sees each byte of the file at the moment at which it is given to the network. So it can end with a sum of exactly
/// what was sent. It is asked on the transfer thread, and must not block.
public protocol BodyFrame: Sendable {
  /// The number of all bytes, those of the file among them.
  var length: Int64 { get }

  /// Sending begins with the first byte, for the first time or once more: whatever was computed before does not count.
  func begin()

  /// Returns the bytes from a position on, up to where another kind of bytes follows. It is asked in order, and never beyond
  /// ``length``. What it gives is not empty.
  func piece(at position: Int64) -> BodyPiece

  /// The next bytes of the file have been read in order to be sent.
  func add(_ bytes: RawSpan)
}

/// A run of bytes of one kind within a framed body.
public enum BodyPiece: Hashable, Sendable {
  /// Bytes of the frame.
  case frame([UInt8])
  /// So many bytes of the file, from an offset on that counts from the first byte to send.
  case file(offset: Int64, count: Int64)
}
