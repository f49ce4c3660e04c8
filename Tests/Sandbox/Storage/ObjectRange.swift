import HTTPTypes
import Hummingbird
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

  /// The answer with these bytes of a file. The headers are those of the whole object.
  func answer(_ path: FilePath, _ headers: HTTPFields, _ context: SandboxContext) async throws -> Response {
    guard let bytes else {
      return Response(
        status: .ok, headers: headers, body: try await FileIO().loadFile(path: path.string, context: context))
    }
    var headers = headers
    headers[.contentLength] = String(bytes.count)
    headers[.contentRange] = "bytes \(bytes.lowerBound)-\(bytes.upperBound)/\(size)"
    let range = Int(bytes.lowerBound)...Int(bytes.upperBound)
    let body = try await FileIO().loadFile(path: path.string, range: range, context: context)
    return Response(status: .partialContent, headers: headers, body: body)
  }
}
