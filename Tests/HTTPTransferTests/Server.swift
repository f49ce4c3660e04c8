import ChildProcesses
import Foundation
import HTTPTransfer
import Testing

/// The scripted server of `Tests/Support/scripted_server.py`, as a process that ends with this value.
final class Server: Sendable {
  /// What the server has seen, its own `/stats` left out.
  struct Stats: Decodable {
    var connections: Int
    var resumed: Int
    var requests: Int
    var most: Int
    var events: [String]
    var sent: Int?
  }

  let port: Int
  private let address: String
  private let scheme: String
  private let socket: String?
  private let certificate: Certificate?
  private let child: ChildProcess
  private let transport: Transport

  init(certificate: Certificate? = nil, socket: String? = nil, at place: (address: String, port: Int)? = nil)
    async throws
  {
    var words = [try await Products.python.value, "-I", Products.support("scripted_server.py")]
    if let certificate { words += ["--tls", certificate.chain, certificate.key] }
    if let socket { words += ["--unix", socket] }
    if let place { words += ["--at", place.address, "\(place.port)"] }
    // It ends with its input too, so that none is left where the tests are killed.
    child = try ChildProcess(words, input: .written)
    port = try #require(Int(try await child.prints("\n").dropLast()))
    address = place?.address ?? "127.0.0.1"
    scheme = certificate == nil ? "http" : "https"
    self.certificate = certificate
    self.socket = socket
    transport = try Transport(maxConnections: 1)
  }

  func url(_ path: String, host: String? = nil) -> String { "\(scheme)://\(host ?? address):\(port)\(path)" }

  func request(
    _ path: String, method: String = "GET", headers: [HTTPHeader] = [], body: HTTPRequest.Body = .none
  ) -> HTTPRequest {
    HTTPRequest(
      RequestShape(
        method: method, totalTimeout: .seconds(60), caFile: certificate?.authority, unixSocket: socket),
      url: url(path), headers: headers, body: body)
  }

  func stats() async throws -> Stats {
    try JSONDecoder().decode(Stats.self, from: Data(try await transport.send(request("/stats")).body))
  }

  func waitUntil(_ condition: (Stats) -> Bool, file: String = #fileID, line: Int = #line) async throws {
    try await until("the server to see it", every: .milliseconds(5), file: file, line: line) {
      condition(try await stats())
    }
  }
}

struct Echo: Decodable {
  var method: String
  var path: String
  var headers: [[String]]
  var length: Int
  var sha256: String
  var connection: Int

  init(_ response: HTTPResponse) throws {
    self = try JSONDecoder().decode(Echo.self, from: Data(response.body))
  }

  var names: [String] { headers.map { $0[0] } }
}

func failure<T: Sendable>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws(TransferError) -> T
) async throws -> TransferError {
  do {
    let value = try await body()
    return try #require(nil, "no error but \(value)", sourceLocation: sourceLocation)
  } catch let error as TransferError {
    return error
  }
}

/// Sends a request that has to fail, over a transport of its own unless one is given.
func failure(
  of request: HTTPRequest, over transport: Transport? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> TransferError {
  let transport = try transport ?? Transport()
  return try await failure(sourceLocation: sourceLocation) { () async throws(TransferError) in
    try await transport.send(request)
  }
}
