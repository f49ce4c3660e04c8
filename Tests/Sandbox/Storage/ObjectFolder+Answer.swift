import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import SystemPackage

extension ObjectFolder {
  /// The answer to a GET: all of an object, or its first byte. Another range means all, as RFC 9110 allows (section 14.2).
  func answer(
    to request: Request, _ key: String, size: Int64, _ headers: HTTPFields
  ) throws(StorageError) -> Response {
    let isFirstByte = request.headers["range"] == "bytes=0-0"
    if isFirstByte, size == 0 { throw StorageError(416, "InvalidRange", "The requested range is not satisfiable") }
    guard isFirstByte else {
      return Response(status: .ok, headers: headers, body: size > 0 ? body(of: key, Int(size)) : ResponseBody())
    }
    var headers = headers
    headers[.contentLength] = "1"
    headers[.contentRange] = "bytes 0-0/\(size)"
    return Response(status: .partialContent, headers: headers, body: body(of: key, 1))
  }

  private func body(of key: String, _ count: Int) -> ResponseBody {
    let (thread, path, piece) = (thread, path(of: key), 128 << 10)
    return ResponseBody(contentLength: count) { writer in
      let bytes = try await thread.runIfActive {
        try Data(contentsOf: URL(filePath: path.string), options: .mappedIfSafe)
      }
      for start in stride(from: 0, to: count, by: piece) {
        try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + piece, count)]))
      }
      try await writer.finish(nil)
    }
  }
}
