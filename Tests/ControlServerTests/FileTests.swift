import ChildProcesses
import ControlAPI
import ControlServer
import ControlTesting
import HTTPTransfer
import Jobs
import NIOCore
import Synchronization
import Testing

/// `GET /v1/jobs/{job}/file`: the file of a stopped job.
@Suite(.slot, .bounded)
struct FileTests {
  private static let job = JobReference.number(JobNumber(rawValue: 1))
  private static let piece = [UInt8](repeating: 7, count: 64 << 10)

  /// Operations with a file of this many pieces, each of which `read` returns or refuses.
  private func operations(
    pieces: Int64, read: @escaping @Sendable (Int64) async throws -> [UInt8] = { _ in piece }
  ) -> ReplacedOperations {
    var operations = InMemoryJobs().operations
    operations.fileAnswer = { _ in
      JobFile(revision: 9, size: pieces * Int64(Self.piece.count), read: read)
    }
    return operations
  }

  @Test func bytesComeWithLengthAndRevision() async throws {
    try await withControlServer(operations(pieces: 40)) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      let file = try await client.file(Self.job)
      #expect(file.revision == 9 && file.size == 40 * Int64(Self.piece.count))
      var count: Int64 = 0
      try await file.forEachPiece { bytes in
        count += Int64(bytes.count)
        #expect(bytes.allSatisfy { $0 == 7 })
      }
      #expect(count == file.size)
      for arguments in [[], ["--head"]] as [[String]] {
        let curl = try await Command.run(
          ["curl", "-q", "-sS", "-i", "--max-time", "20", "--unix-socket", socket, "-o", "-"] + arguments
            + ["http://localhost/v1/jobs/1/file"])
        let head = (curl.output.split(separator: "\r\n\r\n").first ?? "").lowercased()
        #expect(curl.status == 0 && head.hasPrefix("http/1.1 200"), "\(head)")
        for line in [
          "content-length: \(file.size)", "waybill-revision: 9", "content-type: application/octet-stream",
          "content-disposition: attachment", "content-security-policy: sandbox", "x-content-type-options: nosniff",
        ] { #expect(head.contains("\r\n" + line), "\(head)") }
      }
    }
  }

  /// The head says that the file is open. Its first bytes may take longer than anybody waits for a head.
  @Test func headComesBeforeFirstBytes() async throws {
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    let late = operations(pieces: 1) { _ in
      for await _ in opened {}
      return Self.piece
    }
    try await withControlServer(late) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      let file = try await client.file(Self.job)
      open.finish()
      var count = 0
      try await file.forEachPiece { count += $0.count }
      #expect(count == Self.piece.count)
    }
  }

  /// Whoever got fewer bytes than were announced must not take them for the file.
  @Test func errorInTheMiddleIsNoEnd() async throws {
    let broken = operations(pieces: 3) { offset in
      guard offset == 0 else { throw Broken() }
      return Self.piece
    }
    try await withControlServer(broken) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      let file = try await client.file(Self.job)
      await #expect(throws: ControlError.self) { try await file.forEachPiece { _ in } }
    }
  }

  private struct Broken: Error {}

  /// The reader takes nothing, and the server reads no more than fits on the way.
  @Test func hangingReaderIsCut() async throws {
    let reads = Mutex(0)
    let many = operations(pieces: 100_000) { _ in
      reads.withLock { $0 += 1 }
      return Self.piece
    }
    try await withControlServer(many, limits: .init(peerPatience: .milliseconds(400), fileReaders: 1)) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      try await RawConnection.with(socket) { input, output in
        try await output.write(
          ByteBuffer(string: "GET /v1/jobs/1/file HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        try await until("the first bytes to be read") { reads.withLock { $0 > 0 } }
        // There is one place for a reader. It is free again once this one is cut.
        try await until("the place to be free") { try await isFree(client) }
      }
      #expect(reads.withLock { $0 } < 100_000)
    }
  }

  private func isFree(_ client: ControlClient) async throws -> Bool {
    do throws(ControlError) {
      _ = try await client.file(Self.job)
      return true
    } catch {
      guard case .problem(let problem) = error, problem.code == .overloaded else { throw error }
      return false
    }
  }

  @Test func stopCutsReader() async throws {
    let ended = try await withControlServer(operations(pieces: 100_000)) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      let file = try await client.file(Self.job)
      // The server stops while this reads.
      return Task {
        do {
          try await file.forEachPiece { _ in }
          return true
        } catch {
          return false
        }
      }
    }
    #expect(await ended.value == false)
  }

  @Test func onlyStoppedJobsAreRead() async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      for (number, code) in [(1, ProblemCode.state), (2, .unknownJob)] as [(Int64, ProblemCode)] {
        let error = await #expect(throws: ControlError.self) {
          try await client.file(.number(JobNumber(rawValue: number)))
        }
        guard case .problem(let problem) = error else { Issue.record("\(String(describing: error))"); continue }
        #expect(problem.code == code)
      }
    }
  }
}
