import Foundation
import HTTPTransfer
import Testing

/// The scripted server of `Tests/Support/farside.py`, as a process that ends with this value.
final class FarSide: Sendable {
  /// What the server has seen, its own `/stats` left out.
  struct Stats: Decodable {
    var connections: Int
    var requests: Int
    var most: Int
    var events: [String]
    var sent: Int?
  }

  let port: Int
  private let scheme: String
  private let socket: String?
  private let certificate: Certificate?
  private let input: Pipe
  private let transport: Transport

  init(certificate: Certificate? = nil, socket: String? = nil) async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Support/farside.py")
    var arguments = [script.standardizedFileURL.path(percentEncoded: false)]
    if let certificate { arguments += ["--tls", certificate.chain, certificate.key] }
    if let socket { arguments += ["--unix", socket] }
    (input, port) = try await onOwnThread { [arguments] in
      let process = Process()
      process.executableURL = URL(filePath: try Self.python.get())
      process.arguments = ["-I"] + arguments
      let output = Pipe()
      process.standardOutput = output
      let input = Pipe()
      process.standardInput = input
      try process.run()
      var line = Data()
      while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1),
        !byte.isEmpty
      {
        line.append(byte)
      }
      return (input, try #require(Int(String(decoding: line.dropLast(), as: UTF8.self))))
    }
    scheme = certificate == nil ? "http" : "https"
    self.certificate = certificate
    self.socket = socket
    transport = try Transport(maxConnections: 1)
  }

  /// The interpreter itself, as what stands in the path may be a script that takes its time to find it.
  private static let python = Result {
    try output(of: "/usr/bin/env", ["python3", "-c", "import sys; print(sys.executable, end='')"])
  }

  // A child of a pool's thread has SIGTERM blocked, as that thread has, so it is told by the end of its input.
  deinit {
    do {
      try input.fileHandleForWriting.close()
    } catch {
      print("the far side at port \(port) may be left behind: \(error)")
    }
  }

  func url(_ path: String, host: String = "127.0.0.1") -> String { "\(scheme)://\(host):\(port)\(path)" }

  func request(
    _ path: String, method: String = "GET", headers: [HTTPHeader] = [], body: HTTPRequest.Body = .none
  ) -> HTTPRequest {
    HTTPRequest(
      method: method, url: url(path), headers: headers, body: body, totalTimeout: .seconds(60),
      caFile: certificate?.authority, unixSocket: socket)
  }

  func stats() async throws -> Stats {
    try JSONDecoder().decode(Stats.self, from: Data(try await transport.send(request("/stats")).body))
  }

  /// Waits until the server has seen something.
  func waitUntil(_ condition: (Stats) -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if condition(try await stats()) { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("the far side has not seen it in time", sourceLocation: sourceLocation)
  }
}

/// What `/echo` says about a request.
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

/// Runs what has to fail with a transfer's error.
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
