import ChildProcesses
import Jobs
import LoopbackPeer
import Testing

@testable import ObjectStorage

@Suite(.slot) struct ChangedFileTests {
  private static let ok = LoopbackPeer.Reply.answer(200, ["ETag": "\"e\""])

  @Test(arguments: [1, 300_000]) func unexpectedFileIsNotSent(_ size: Int) async throws {
    let peer = try LoopbackPeer { _ in Self.ok }
    let file = try TestFile(TestFile.bytes(size))
    let object = try file.object()
    try file.write(TestFile.bytes(size + 1))
    let (failure, now) = try await TestBucket.make(peer.url).upload(object).requireChanged()
    #expect(failure.kind == .fileChanged)
    #expect(failure.words == "the file changed: it had \(size) bytes and has \(size + 1) now")
    #expect(try now == file.identity())
    #expect(peer.requests.isEmpty)
  }

  @Test(arguments: [1, 300_000]) func changeDuringUploadVoidsReceipt(_ size: Int) async throws {
    let file = try TestFile(TestFile.bytes(size))
    let object = try file.object()
    let peer = try LoopbackPeer { _ in
      Self.rewrite(file, size)
      return Self.ok
    }
    let (failure, now) = try await TestBucket.make(peer.url).upload(object).requireChanged()
    #expect(failure.kind == .fileChanged)
    #expect(try now == file.identity())
    #expect(now.size == object.expected.size)
  }

  @Test(arguments: ["XAmzContentSHA256Mismatch", "BadDigest"], [true, false])
  func changedFileExplainsHashMismatch(_ code: String, _ isChanged: Bool) async throws {
    let file = try TestFile([1, 2])
    let object = try file.object()
    let peer = try LoopbackPeer { _ in
      if isChanged { Self.rewrite(file, 2) }
      return .answer(400, [:], "<Error><Code>\(code)</Code></Error>")
    }
    let result = await (try TestBucket.make(peer.url)).upload(object)
    if isChanged { return #expect(try result.requireChanged().1 == file.identity()) }
    let failure = try result.requireFailed()
    #expect(failure.kind == .transient && failure.words == "HTTP 400 \(code)")
  }

  @Test func truncationDuringUploadIsDetected() async throws {
    let file = try TestFile([])
    try file.truncate(to: 64 << 20)  // more than sockets hold back
    let object = try file.object()
    let peer = try LoopbackPeer(onHead: { _ in Self.record { try file.truncate(to: 10) } }, { _ in Self.ok })
    let (failure, now) = try await TestBucket.make(peer.url).upload(object).requireChanged()
    #expect(failure.kind == .fileChanged)
    #expect(now.size == 10)
  }

  private static func rewrite(_ file: TestFile, _ size: Int) {
    record { try file.write(TestFile.bytes(size)) }
  }

  private static func record(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      Issue.record(error)
    }
  }
}
