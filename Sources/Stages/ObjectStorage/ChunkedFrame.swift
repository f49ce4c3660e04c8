import HTTPTransfer

/// The frame in which S3 takes an object's bytes in chunks with a checksum behind them.
///
/// Each chunk is its length in hex, the bytes and a line end. A chunk of no bytes ends them. Then come the trailer and an empty
/// line:
///
///     100000\r\n…\r\n1f\r\n…\r\n0\r\nx-amz-checksum-crc32c:sOO8/Q==\r\n\r\n
///
/// See "Signature calculations for trailing headers (chunked uploads)" in the S3 API reference (sigv4-streaming-trailers): the
/// trailing headers are "sent after the final chunk with a payload of 0 bytes". "Transferring payload in multiple chunks"
/// (sigv4-streaming) wants "the total content length (object length in bytes plus metadata in each chunk)" in Content-Length, and
/// chunks of at least 8 KB except for the last one.
struct ChunkedFrame: Hashable, Sendable {
  /// The bytes of a chunk that is not the last: 1 MiB, as in AWS's own library for Python.
  static let chunk: Int64 = 1 << 20
  private static let lineEnd: [UInt8] = [0x0D, 0x0A]
  private static let fullHead = head(of: chunk)

  /// A run of bytes of one kind.
  enum Piece: Hashable {
    /// Bytes of the frame.
    case frame(ArraySlice<UInt8>)
    /// So many of the bytes that are framed, from an offset on.
    case data(offset: Int64, count: Int64)
    /// The rest of the last line but one, from an offset on: the trailer's value and its line end.
    case value(offset: Int)
  }

  /// The number of bytes that are framed.
  let count: Int64
  /// The name of the trailer.
  let trailer: String
  /// The number of characters of its value.
  let valueLength: Int
  /// The first line of the chunk that is not full; empty if there is none.
  private let restHead: [UInt8]
  /// The chunk of no bytes, and the trailer up to its value.
  private let tail: [UInt8]

  init(count: Int64, trailer: String, valueLength: Int) {
    self.count = count
    self.trailer = trailer
    self.valueLength = valueLength
    restHead = count % Self.chunk == 0 ? [] : Self.head(of: count % Self.chunk)
    tail = Array("0\r\n\(trailer):".utf8)
  }

  /// The number of bytes of all chunks that are full.
  private var full: Int64 { count / Self.chunk * Self.fullLength }
  private static var fullLength: Int64 { Int64(fullHead.count) + chunk + Int64(lineEnd.count) }

  /// The number of bytes of the chunk that is not full; 0 if there is none.
  private var restLength: Int64 {
    let rest = count % Self.chunk
    return rest == 0 ? 0 : Int64(restHead.count) + rest + Int64(Self.lineEnd.count)
  }

  /// The number of all bytes.
  var length: Int64 { full + restLength + Int64(tail.count + valueLength + 2 * Self.lineEnd.count) }

  /// Returns the bytes from a position below ``length`` on, up to where another kind of bytes follows.
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

  /// Returns the bytes at a place within a chunk.
  private static func piece(at place: Int64, of head: [UInt8], from offset: Int64, count: Int64) -> Piece {
    let start = Int64(head.count)
    if place < start { return .frame(head[Int(place)...]) }
    if place < start + count { return .data(offset: offset + place - start, count: start + count - place) }
    return .frame(lineEnd[Int(place - start - count)...])
  }

  /// The first line of a chunk.
  private static func head(of count: Int64) -> [UInt8] { Array((String(count, radix: 16) + "\r\n").utf8) }

  /// The end of all bytes, from the trailer's value on.
  static func end(_ value: String) -> [UInt8] { Array((value + "\r\n\r\n").utf8) }

  /// Returns bytes in memory in their frame.
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
