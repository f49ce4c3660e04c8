import HTTPTypes
import HummingbirdCore
import NIOCore

/// An answer of the page's server before it is sent.
struct SiteAnswer: Sendable {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body: [UInt8]

  /// The rights of the pages: their own files, forms to themselves, and one Trusted Types policy for the script.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    + "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types fleet"

  /// Creates an answer with a page.
  init(_ page: Markup, status: HTTPResponse.Status = .ok) {
    self.init(Array(page.html.utf8), "text/html; charset=utf-8", status)
  }

  /// Creates an answer with a file of the pages.
  init(file bytes: [UInt8], type: String) { self.init(bytes, type, .ok) }

  /// Creates an answer with a text for programs.
  init(text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok) {
    self.init(Array(text.utf8), type, status)
  }

  /// Creates the answer that sends a browser to another page of ours, whose address it then shows.
  init(seeOther path: String) {
    self.init([], "text/plain; charset=utf-8", .seeOther)
    headers[.location] = path
  }

  private init(_ body: [UInt8], _ type: String, _ status: HTTPResponse.Status) {
    self.status = status
    self.body = body
    headers = [
      .contentType: type, .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff",
      .cacheControl: "no-store",
    ]
    // not "no-referrer": a browser would then send a form with the origin "null"
    if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "same-origin" }
  }

  /// Returns the answer for Hummingbird to send.
  func response(to method: HTTPRequest.Method) -> Response {
    let body = method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    return Response(status: status, headers: headers, body: body)
  }
}
