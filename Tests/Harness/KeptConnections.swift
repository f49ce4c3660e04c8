import ChildProcesses
import Glibc
import HTTPTransfer

/// HTTP in this process: a look costs no child process, and mostly no new connection. libcurl has a thread of its own, so
/// that no thread is held that tests run on.
enum KeptConnections {
  private static let transport = Result { () throws(TransferError) in try Transport() }
  /// For what has a new connection each time: libcurl keeps these as well, and a daemon serves only 128.
  private static let fresh = Result { () throws(TransferError) in try Transport(maxConnections: 16) }
  /// How often a call is made again that did not come through.
  private static let tries = 5

  /// A call is made again after trouble of the transport only where that cannot do anything twice: a GET, and what was never
  /// sent. Other calls have a new connection each, so that nothing is sent into one that the server has just given up.
  static func call(
    _ method: String, _ url: String, body: String? = nil, socket: String? = nil, within limit: Duration = patience
  ) async throws -> HTTPAnswer {
    let isLook = method == "GET"
    var headers = [HTTPHeader("Accept", "*/*")]
    if body != nil { headers.append(HTTPHeader("Content-Type", "application/json")) }
    let shape = RequestShape(
      method: method, connectTimeout: limit, totalTimeout: limit, unixSocket: socket, mayBeRepeated: isLook)
    let request = HTTPRequest(
      shape, url: url, headers: headers, body: body.map { .bytes(Array($0.utf8)) } ?? .none, bodyLimit: 256 << 20)
    var trouble = ""
    for _ in 1...tries {
      do throws(TransferError) {
        let answer = try await (isLook ? transport : fresh).get().send(request)
        return HTTPAnswer(
          status: answer.status, contentType: answer.headers[first: "Content-Type"] ?? "",
          body: String(decoding: answer.body, as: UTF8.self))
      } catch {
        try Task.checkCancellation()
        trouble = "\(method) \(url) \(socket ?? ""): \(error.words)"
        // EAGAIN is what a Unix socket says whose listener has too many in its queue.
        let isCrowded = error.kind == .connect && error.osError == EAGAIN
        guard isCrowded || isLook && error.kind == .connectionLost else { break }
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    return HTTPAnswer(status: 0, contentType: "", body: "", trouble: NoAnswer(description: trouble))
  }
}
