import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import SystemPackage

/// The bytes of an object that a GET wants: one range, or all ("GetObject" in the S3 API reference; RFC 9110, section 14).
struct ObjectRange: Sendable {
  private let size: Int64
  /// The first and the last byte; nil for all.
  private let bytes: ClosedRange<Int64>?

  /// A form that is not understood means all bytes, as RFC 9110 wants it.
  ///
  /// - Throws: InvalidRange for a range that begins behind the end.
  init(_ request: Request, size: Int64) throws(StorageError) {
    self.size = size
    if let field = request.headers["range"] { bytes = try Self.bytes(field, size) } else { bytes = nil }
  }

  private static func bytes(_ field: String, _ size: Int64) throws(StorageError) -> ClosedRange<Int64>? {
    let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard field.hasPrefix("bytes="), ends.count == 2 else { return nil }
    switch (Int64(ends[0]), Int64(ends[1])) {
    case (let first?, let last) where ends[1].isEmpty || last.map({ $0 >= first }) == true:
      guard first < size else { throw invalid }
      return first...min(last ?? size - 1, size - 1)
    case (nil, let count?) where ends[0].isEmpty:
      guard count > 0, size > 0 else { throw invalid }
      return max(0, size - count)...(size - 1)
    default: return nil
    }
  }

  private static let invalid = StorageError(416, "InvalidRange", "The requested range is not satisfiable")

  /// The answer with these bytes of an object. The headers are those of the whole object.
  func answer(_ key: String, in folder: ObjectFolder, _ headers: HTTPFields) -> Response {
    guard let bytes else {
      let body = size > 0 ? folder.body(of: key, 0...(size - 1)) : ResponseBody()
      return Response(status: .ok, headers: headers, body: body)
    }
    var headers = headers
    headers[.contentLength] = String(bytes.count)
    headers[.contentRange] = "bytes \(bytes.lowerBound)-\(bytes.upperBound)/\(size)"
    return Response(status: .partialContent, headers: headers, body: folder.body(of: key, bytes))
  }
}

extension ObjectFolder {
  /// The body of an answer with some bytes of an object, which are read as they are sent.
  func body(of key: String, _ range: ClosedRange<Int64>) -> ResponseBody {
    let (thread, path, piece) = (thread, path(of: key), 128 << 10)
    return ResponseBody(contentLength: range.count) { writer in
      let bytes = try await thread.runIfActive {
        try Data(contentsOf: URL(filePath: path.string), options: .mappedIfSafe)
      }
      for start in stride(from: Int(range.lowerBound), through: Int(range.upperBound), by: piece) {
        try await writer.write(ByteBuffer(bytes: bytes[start...min(start + piece - 1, Int(range.upperBound))]))
      }
      try await writer.finish(nil)
    }
  }
}
