import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import Testing

@Suite(.slot) struct TimeoutTests {
  @Test(arguments: ["/stall", "/stall-body"]) func missingAnswerIsStall(_ path: String) async throws {
    let server = try await Server()
    var request = server.request(path)
    request.stallTimeout = .seconds(1)
    let error = try await failure(of: request)
    #expect(error.kind == .stalled)
    #expect(error.requestMayHaveArrived)
    #expect(error.words.contains("1.0 seconds"))
  }

  /// Only the wait for the answer counts: not the time that the body takes.
  @Test(.bounded) func answerTimeoutExcludesBody() async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: 700 << 10)
    var request = server.request("/echo", method: "PUT", body: .file(try file.body(), offset: 0, length: 700 << 10))
    request.totalTimeout = nil
    request.stallTimeout = .seconds(30)
    request.answerTimeout = .seconds(5)
    request.isPaced = true
    let transport = try Transport()
    await transport.limit(inFlight: 4, sendLimit: 100 << 10)
    #expect(try await transport.send(request).status == 200)
  }

  @Test func totalTimeoutEndsTransfer() async throws {
    let server = try await Server()
    var request = server.request("/stall")
    request.totalTimeout = .seconds(2)
    request.stallTimeout = .seconds(30)
    let error = try await failure(of: request)
    #expect(error.kind == .timeout)
    #expect(error.requestMayHaveArrived)
  }

  /// A connection that nobody accepts, and one on which no TLS is spoken.
  @Test(arguments: [("http", true), ("https", false)])
  func unansweredConnectionTimesOut(_ scheme: String, _ isCrowded: Bool) async throws {
    let listener = try CrowdedListener(crowd: isCrowded)
    let request = HTTPRequest(
      RequestShape(method: "PUT", connectTimeout: .milliseconds(300)),
      url: "\(scheme)://127.0.0.1:\(listener.port)/", body: .bytes([1]))
    let error = try await failure(of: request)
    #expect(error.kind == .connectTimeout)
    #expect(!error.requestMayHaveArrived)
  }

  @Test func refusedConnectionNamesHostAndReason() async throws {
    let port = try CrowdedListener(crowd: false).port
    let error = try await failure(of: HTTPRequest(method: "GET", url: "http://127.0.0.1:\(port)/x?secret=1"))
    #expect(error.kind == .connect)
    #expect(error.osError == ECONNREFUSED && error.failure.code == "ECONNREFUSED")
    #expect(error.words == "no connection to 127.0.0.1:\(port): Connection refused")
    #expect(!error.requestMayHaveArrived)
  }

  @Test func unknownHostFailsToResolve() async throws {
    let error = try await failure(of: HTTPRequest(method: "GET", url: "http://no-such-host.invalid/"))
    #expect(error.kind == .resolve)
    #expect(!error.requestMayHaveArrived)
  }
}

/// A socket that listens and never accepts; crowded, its queue is full, so that further connections hang.
private final class CrowdedListener {
  let port: Int
  private var sockets: [Int32] = []

  init(crowd: Bool = true) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    sockets.append(listener)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(listener, pointer, size) == 0 && listen(listener, 0) == 0
          && getsockname(listener, pointer, &size) == 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    try #require(bound)
    guard crowd else { return }
    for _ in 1...4 {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      sockets.append(client)
      unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = unsafe connect(client, $0, size) }
      }
    }
  }

  deinit { for socket in sockets { close(socket) } }
}
