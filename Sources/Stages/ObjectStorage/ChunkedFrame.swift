import HTTPTransfer

/// The frame for an object's bytes in chunks, with a checksum after them.
///
/// A chunk consists of its length in hex, a line end, the bytes and a line end. An empty chunk ends them. Then follow the trailer
/// and an empty line:
///
///     100000\r\n…\r\n1f\r\n…\r\n0\r\nx-amz-checksum-crc32c:sOO8/Q==\r\n\r\n
///
/// See "Signature calculations for trailing headers (chunked uploads)" in the S3 API reference (sigv4-streaming-trailers): the
/// trailing headers are "sent after the final chunk with a payload of 0 bytes". "Transferring payload in multiple chunks"
/// (sigv4-streaming) wants "the total content length (object length in bytes plus metadata in each chunk)" in Content-Length, and
/// chunks of at least 8 KB except for the last one.
struct ChunkedFrame: Hashable, Sendable {
  /// The number of bytes of each chunk except the last: 1 MiB, as in AWS's own library for Python.
  static let chunk: Int64 = 1 << 20
  private static let lineEnd: [UInt8] = [0x0D, 0x0A]
  private static let fullHead = head(of: chunk)

  /// A run of bytes of one kind.
  enum Piece: Hashable {
    /// Bytes that belong to the frame.
    case frame(ArraySlice<UInt8>)
    /// A number of bytes of the framed data, from an offset on.
    case data(offset: Int64, count: Int64)
    /// The end of the frame from an offset on: the trailer's value and the line ends after it.
    case value(offset: Int)
  }

  /// The number of bytes of the framed data.
  let count: Int64
  /// The name of the trailer.
  let trailer: String
  /// The number of characters of the trailer's value.
  let valueLength: Int
  /// The length line of the last chunk if it is not full; empty if there is none.
  private let restHead: [UInt8]
  /// The empty chunk, and the trailer up to its value.
  private let tail: [UInt8]

  init(count: Int64, trailer: String, valueLength: Int) {
    self.count = count
    self.trailer = trailer
    self.valueLength = valueLength
    restHead = count % Self.chunk == 0 ? [] : Self.head(of: count % Self.chunk)
    tail = Array("0\r\n\(trailer):".utf8)
  }

  /// The total number of bytes of the full chunks with their frames.
  private var full: Int64 { count / Self.chunk * Self.fullLength }
  private static var fullLength: Int64 { Int64(fullHead.count) + chunk + Int64(lineEnd.count) }

  /// The number of bytes of the chunk that is not full, with its frame; 0 if there is none.
  private var restLength: Int64 {
    let rest = count % Self.chunk
    return rest == 0 ? 0 : Int64(restHead.count) + rest + Int64(Self.lineEnd.count)
  }

  /// The total number of bytes to send.
  var length: Int64 { full + restLength + Int64(tail.count + valueLength + 2 * Self.lineEnd.count) }

  /// Returns the bytes from a position below ``length`` on, up to the next bytes of another kind.
  func piece(at position: Int64) -> Piece {
    if position < full {
      let index = position / Self.fullLength
      return Self.piece(
        at: position % Self.fullLength, of: Self.fullHead, from: index * Self.chunk, count: Self.chunk)
    }
    let rest = count % Self.chunk
    if position < full + restLength {
      return Self.piece(at: position - full, of: restHead, from: count - rest, count: rest)
    }
    let place = Int(position - full - restLength)
    return place < tail.count ? .frame(tail[place...]) : .value(offset: place - tail.count)
  }

  /// Returns the bytes from a position within one chunk on.
  private static func piece(at place: Int64, of head: [UInt8], from offset: Int64, count: Int64) -> Piece {
    let start = Int64(head.count)
    if place < start { return .frame(head[Int(place)...]) }
    if place < start + count { return .data(offset: offset + place - start, count: start + count - place) }
    return .frame(lineEnd[Int(place - start - count)...])
  }

  /// The length line of a chunk.
  private static func head(of count: Int64) -> [UInt8] { Array((String(count, radix: 16) + "\r\n").utf8) }

  /// The end of the frame, from the trailer's value on.
  static func end(_ value: String) -> [UInt8] { Array((value + "\r\n\r\n").utf8) }

  /// Returns data in memory in its frame.
  func bytes(of data: [UInt8], value: String) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(Int(length))
    while Int64(all.count) < length {
      switch piece(at: Int64(all.count)) {
      case .frame(let bytes): all += bytes
      case .data(let offset, let count): all += data[Int(offset)..<Int(offset + count)]
      case .value(let offset): all += Self.end(value)[offset...]
      }
    }
    return all
  }
}
