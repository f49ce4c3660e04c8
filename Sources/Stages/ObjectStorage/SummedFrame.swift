import HTTPTransfer
import Synchronization

/// A frame that computes the checksum of a file's bytes while they are sent, and sends it after them, in a trailer.
///
/// So the checksum covers exactly the bytes that were sent, and the file is read once. Only a CRC is computed this way: it is
/// cheap enough for the transfer thread, and it is not the signed hash.
final class SummedFrame: BodyFrame {
  private let frame: ChunkedFrame
  private let fresh: RunningSums
  private let running: Mutex<RunningSums>

  /// A frame for this number of bytes of a file.
  init(count: Int64, _ sums: RunningSums) {
    let algorithm = sums.algorithm
    frame = ChunkedFrame(count: count, trailer: algorithm.header, valueLength: algorithm.valueLength)
    fresh = sums
    running = Mutex(sums)
  }

  var length: Int64 { frame.length }

  /// The sums of the bytes; nil until all bytes were sent.
  var sums: Sums? {
    let sums = running.withLock { $0 }
    return sums.count == frame.count ? sums.finish() : nil
  }

  /// The number of bytes of the file that were sent so far.
  var count: Int64 { running.withLock { $0.count } }

  /// The headers of a request with such a body.
  var headers: [HTTPHeader] { frame.headers }

  func begin() { running.withLock { $0 = fresh } }

  func piece(at position: Int64) -> BodyPiece {
    switch frame.piece(at: position) {
    case .frame(let bytes): return .frame(Array(bytes))
    case .data(let offset, let count): return .file(offset: offset, count: count)
    case .value(let offset):
      let sums = running.withLock { $0 }.finish()
      return .frame(Array(ChunkedFrame.end(sums.base64 ?? "")[offset...]))
    }
  }

  func add(_ bytes: RawSpan) { running.withLock { $0.update(bytes) } }
}

extension ChunkedFrame {
  /// The value for the signed hash of a request with a framed body.
  ///
  /// S3's documentation restricts it to no scheme ("Authenticating requests: using the Authorization header" in the S3 API
  /// reference: "Use this when sending an unsigned payload over multiple chunks. In this case you also have a trailing header
  /// after the chunk is uploaded"). A payload with a CRC is unsigned in any form, so plain HTTP is not less safe with a trailer.
  static let payloadHash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"

  /// The headers that announce the chunks and the trailer. S3 does not store this Content-Encoding with the object.
  var headers: [HTTPHeader] {
    [
      HTTPHeader("Content-Encoding", "aws-chunked"), HTTPHeader("x-amz-decoded-content-length", String(count)),
      HTTPHeader("x-amz-trailer", trailer),
    ]
  }
}
