/// Bytes that are sent before, between and after those of a file.
///
/// A frame gets each byte of the file just before it is sent. So it can end with a checksum of exactly what was sent. It is
/// called on the transfer thread, and must not block.
public protocol BodyFrame: Sendable {
  /// The total number of bytes, including those of the file.
  var length: Int64 { get }

  /// Begins with the first byte, for the first time or for a repeated request: earlier results are discarded.
  func begin()

  /// Returns the bytes from a position on, up to the next bytes of another kind. Positions come in order, and never beyond
  /// ``length``. The result must not be empty.
  func piece(at position: Int64) -> BodyPiece

  /// Receives the next bytes of the file, which were read to be sent.
  func add(_ bytes: RawSpan)
}

/// A part of a framed body, with bytes of one kind.
public enum BodyPiece: Hashable, Sendable {
  /// Bytes of the frame.
  case frame([UInt8])
  /// This number of bytes of the file, from an offset on that is relative to the first byte to send.
  case file(offset: Int64, count: Int64)
}
