import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// Uploads in parts, as the ledger keeps them.
@Suite struct MultipartTests {
  private static let upload = MultipartUpload(
    id: "2~ü", partSize: 5 << 20, checksum: "crc64nvme",
    file: FileIdentity(device: .max, inode: 2, size: 3, modified: 4, changed: 5))

  /// The storage's answer came after the operator's word: the attempt ends, and what was begun is to be aborted.
  @Test func uploadBegunAfterCancelIsOwed() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let job = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
    let by = Caller(uid: 1000, user: "alice")
    _ = try await ledger.carryOut(.cancel(), on: .number(job.number), by: by)
    #expect(try await ledger.beganParts(job, Self.upload) == false)
    let cancelled = try await ledger.job(.number(job.number))
    #expect(cancelled?.multipart == nil)
    #expect(cancelled?.remote == .pending)
  }

  @Test func endedAttemptBeginsNothing() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let job = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
    let cut = try await ledger.finish(job, .cut, thenTakeIn: both)
    #expect(cut.next?.attempt == 2)
    #expect(try await ledger.beganParts(job, Self.upload) == false)
    #expect(try await ledger.job(.number(job.number))?.multipart == nil)
  }
}
