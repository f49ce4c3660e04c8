import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import NIOCore

enum JSONAnswer {
  /// A value as the body of an answer. A value that cannot be written is a fault of the sandbox: a 500 reports it.
  static func response(
    _ status: HTTPResponse.Status, _ value: some Encodable, contentType: String = "application/json"
  ) -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do {
      var body = ByteBuffer(bytes: try encoder.encode(value))
      body.writeString("\n")
      return Response(
        status: status, headers: HTTPFields(["content-type": contentType]), body: ResponseBody(byteBuffer: body))
    } catch {
      return Response(
        status: .internalServerError, body: ResponseBody(byteBuffer: ByteBuffer(string: "cannot encode: \(error)\n")))
    }
  }
}
