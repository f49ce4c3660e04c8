import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// Uploads in parts, as the ledger keeps them.
@Suite struct MultipartTests {
  private static let upload = MultipartUpload(
    id: "2~ü", partSize: 5 << 20, checksum: "crc64nvme",
    file: FileIdentity(device: .max, inode: 2, size: 3, modified: 4, changed: 5))

  @Test func begunUploadSurvivesCrash() async throws {
    let box = try LedgerBox()
    let job = try await begin(in: box)
    let queued = try #require(try await box.open().job(.number(job.number)))
    #expect(queued.state == .queued)
    #expect(queued.multipart == Self.upload)
    #expect(queued.revision > job.revision)  // the try was cut; that something was begun is no change for people
    #expect(box.events.map(\.kind) == [.admitted])
  }

  /// The ledger goes with the end of this call, as in a crash.
  private func begin(in box: LedgerBox) async throws -> Job {
    let ledger = try box.open()
    let job = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
    #expect(try await ledger.beganParts(job, Self.upload))
    return job
  }

  @Test func laterUploadReplacesEarlier() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let job = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
    #expect(try await ledger.beganParts(job, Self.upload))
    let other = MultipartUpload(id: "b", partSize: 6 << 20, checksum: "none", file: job.identity)
    #expect(try await ledger.beganParts(job, other))
    _ = try await ledger.finish(job, .failed(Failure(.unavailable, "HTTP 503"), .abort), thenTakeIn: nil)
    let aborted = try await ledger.job(.number(job.number))
    #expect(aborted?.state == .aborted)
    #expect(aborted?.multipart == other)
  }

  @Test func multipartIsDroppedOnceStored() async throws {
    let box = try LedgerBox()
    let ledger = try box.open()
    let job = try #require(try await ledger.admit([.sample("a")], begin: 1, in: both).first)
    #expect(try await ledger.beganParts(job, Self.upload))
    _ = try await ledger.finish(job, .uploaded(.sample), thenTakeIn: nil)
    let stored = try #require(try await ledger.job(.number(job.number)))
    #expect(stored.multipart == nil)
    #expect(stored.stored == .sample)
  }

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
