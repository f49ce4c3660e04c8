import ChildProcesses
import Foundation
import HTTPTransfer
import Linux
import Testing

@Suite(.slot) struct UploadTests {
  /// What a failed request has sent has to be sent again, so it counts no more.
  @Test func countsOnlyDeliveredBytes() async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: 3 << 20)
    let transport = try Transport()
    let sent = SentBytes()
    var request = server.request("/echo", method: "PUT", body: .file(try file.body(), offset: 0, length: 2 << 20))
    request.sent = sent
    _ = try await transport.send(request)
    #expect(sent.value == 2 << 20)
    request.body = .file(try file.body(), offset: 1 << 20, length: 3 << 20)
    let tooLong = request
    _ = try await failure(of: tooLong, over: transport)
    #expect(sent.value == 2 << 20, "the file ended before what was to be sent")
  }

  /// libcurl's count, of bodies in memory and from files, over fresh connections and kept ones.
  @Test func answerReportsBytesSent() async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: 3 << 20)
    let transport = try Transport(maxConnections: 1)
    for count in [0, 1, 4096, 256 << 10, 1 << 20] {
      let bytes = HTTPRequest.Body.bytes(Array(repeating: 1, count: count))
      #expect(try await transport.send(server.request("/echo", method: "PUT", body: bytes)).bytesSent == count)
      let part = HTTPRequest.Body.file(try file.body(), offset: 1, length: Int64(count))
      #expect(try await transport.send(server.request("/echo", method: "PUT", body: part)).bytesSent == count)
      #expect(try await transport.send(server.request("/echo", method: "POST", body: bytes)).bytesSent == count)
    }
    #expect(try await transport.send(server.request("/echo")).bytesSent == 0)
    // dropped by the server after its answer, so that the next request is sent once more, unless its body was under way
    for _ in 0..<3 {
      let body = HTTPRequest.Body.file(try file.body(), offset: 0, length: 1 << 20)
      do throws(TransferError) {
        let answer = try await transport.send(server.request("/stale", method: "PUT", body: body))
        #expect(answer.bytesSent == 1 << 20)
      } catch {
        #expect(error.kind == .connectionLost && error.requestMayHaveArrived, "\(error)")
      }
    }
  }

  @Test func prematureSuccessReportsBytesSent() async throws {
    let server = try await Server()
    let length: Int64 = 64 << 20
    let file = try SampleFile(bytes: Int(length))
    let request = server.request("/hasty", method: "PUT", body: .file(try file.body(), offset: 0, length: length))
    do {
      let response = try await Transport().send(request)
      #expect(response.status == 200)
      #expect(response.bytesSent < length)
    } catch {
      // as good: it is no success either
      #expect(error.requestMayHaveArrived)
    }
  }

  @Test func shortFileFailsUpload() async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: 1000)
    let error = try await failure(
      of: server.request("/echo", method: "PUT", body: .file(file.body(), offset: 0, length: 1001)))
    #expect(error.kind == .readFailed)
    #expect(error.words.contains("1 bytes before"))
  }

  @Test func unreadableFileReportsReason() async throws {
    let server = try await Server()
    // A process's own memory, of which nothing is at this address.
    let memory = HTTPRequest.Body.file(
      try OpenFile(following: Array("/proc/self/mem".utf8)), offset: 0, length: 10)
    let error = try await failure(of: server.request("/echo", method: "PUT", body: memory))
    #expect(error.kind == .readFailed)
    #expect(error.osError == EIO)
  }

  @Test(arguments: [1 << 20, 64 << 20])
  func returnsEarlyRefusal(_ length: Int64) async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: Int(length))
    let response = try await Transport().send(
      server.request("/early", method: "PUT", body: .file(file.body(), offset: 0, length: length)))
    #expect(response.status == 503)
    #expect(response.headers[first: "Retry-After"] == "7")
  }

  @Test func resendsFromStartAfterStaleConnection() async throws {
    let server = try await Server()
    let file = try SampleFile(bytes: 400_000)
    let transport = try Transport()
    for _ in 1...3 {
      #expect(try await transport.send(server.request("/stale")).status == 200)
      let sent = SentBytes()
      var request = server.request("/echo", method: "PUT", body: .file(try file.body(), offset: 0, length: 400_000))
      request.sent = sent
      let echo = try Echo(await transport.send(request))
      #expect(echo.sha256 == (try await file.sha256(offset: 0, length: 400_000)))
      #expect(sent.value == 400_000, "bytes that were sent twice count once")
    }
  }
}

final class SampleFile {
  private let directory: TemporaryFolder
  private var path: String { directory.file("sample") }

  init(bytes count: Int) throws {
    directory = try TemporaryFolder()
    let block = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    for start in stride(from: 0, to: count, by: block.count) {
      try handle.write(contentsOf: block.prefix(count - start))
    }
    try handle.close()
  }

  func body() throws(FileError) -> OpenFile { try OpenFile(following: Array(path.utf8)) }

  /// By a program of its own, so that nothing of it is in this process's memory.
  func sha256(offset: Int64, length: Int64) async throws -> String {
    let script = "tail -c +\(offset + 1) \"$1\" 2>/dev/null | head -c \(length) | sha256sum"
    return String(try await Command.require(["sh", "-c", script, "sh", path]).prefix(64))
  }
}
