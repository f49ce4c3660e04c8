import Jobs
import MessageLiterals
import Testing

@testable import Ledger

/// The rows of a shared spool's jobs when this host takes it over.
@Suite struct TakeOverTests {
  private let box: LedgerBox
  private let ledger: JobLedger
  private let plain = Admission.sample("a.pdf")
  private let question = Failure(.file, "its sidecar did not come", code: "sidecar")

  init() throws {
    box = try LedgerBox()
    ledger = try box.open()
  }

  private func admission(_ parcel: Parcel = .file, asking question: Failure? = nil) -> Admission {
    let plain = self.plain
    return Admission(id: plain.id, identity: plain.identity, mustAsk: question) { number in
      let ticket = plain.ticket(number)
      return Ticket(
        id: ticket.id, spool: ticket.spool, name: ticket.name, storage: ticket.storage, backend: ticket.backend,
        bucket: ticket.bucket, key: "2/b", contentType: ticket.contentType,
        metadata: parcel == .file ? [:] : ["case": "7"], priority: 0, createdAt: ticket.createdAt, parcel: parcel)
    }
  }

  private func takeOver(
    _ admission: Admission, stored: StoredLink? = nil, stop: Inheritance.Stop? = nil, from host: String? = "host b"
  ) async throws -> Job {
    let inheritance = Inheritance(identity: plain.identity, stored: stored, stop: stop, from: host)
    try await ledger.takeOver([admission], [plain.id: inheritance])
    return try #require(try await ledger.job(.id(plain.id)))
  }

  /// What is wrong with a file is asked by each host that goes on with it, unless what stands beside it is the answer.
  @Test func successorAsksQuestionToo() async throws {
    let asking = try await takeOver(admission(asking: question))
    #expect(asking.state == .awaitingConfirmation && asking.failure == question)
    try await ledger.moveAway([asking.number], to: "host b")
    #expect(try await takeOver(admission(asking: question)).state == .awaitingConfirmation)
    try await ledger.moveAway([asking.number], to: "host b")
    let stopped = try await takeOver(admission(asking: question), stop: .init(.cancelled))
    #expect(stopped.state == .cancelled)
    try await ledger.moveAway([asking.number], to: "host b")
    let stored = try await takeOver(admission(asking: question), stored: .sample)
    #expect(stored.state == .queued && stored.step == .register)
  }

  @Test(arguments: [true, false]) func adoptsSidecarFromOtherHost(hasMoved: Bool) async throws {
    _ = try await ledger.admit([admission()])
    let first = try #require(try await ledger.job(.id(plain.id)))
    if hasMoved { try await ledger.moveAway([first.number], to: "host b") }
    let sidecar = Parcel.Sidecar(pattern: try SidecarPattern("{name}.json"), identity: plain.identity)
    let job = try await takeOver(admission(.withSidecar(sidecar)))
    #expect(job.number == first.number && job.state == .queued)
    #expect(job.ticket.parcel == .withSidecar(sidecar) && job.ticket.metadata == ["case": "7"])
    // What was read of the sidecar when it was claimed stays.
    var later = sidecar
    later.identity.modified += 1
    try await ledger.moveAway([first.number], to: "host b")
    #expect(try await takeOver(admission(.withSidecar(later))).ticket.parcel == .withSidecar(sidecar))
  }

  /// Another host may have removed the objects.
  @Test(arguments: [nil, "host b"]) func takeoverForgetsGroupProgress(from host: String?) async throws {
    let group = admission(.group(.init(marker: nil, files: 1)))
    _ = try await ledger.admit([group])
    let job = try #require(try await ledger.job(.id(plain.id)))
    try await ledger.list([(FileName("a"), plain.identity)], of: job.number)
    let receipt = try #require(StoredLink.sample.receipt)
    try await ledger.store(receipt, of: FileName("a"), job.number)
    if host == nil { try await ledger.moveAway([job.number], to: "host b") }
    _ = try await takeOver(group, from: host)
    #expect(try await ledger.progress(of: job.number) == GroupProgress(files: 0, stored: 0))
  }
}
