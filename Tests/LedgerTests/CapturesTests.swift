import ChildProcesses
import Jobs
import Testing

@testable import Ledger

/// The parts of names, which are durable with their job.
@Suite(.slot) struct CapturesTests {
  private static let captures = ["case": "17", "word": "Größe \"1\"\n", "none": ""]

  @Test func partsOfNamesOutliveTheProcess() async throws {
    let box = try LedgerBox()
    let plain = Admission.sample("17_a.pdf")
    let admission = Admission(id: plain.id, identity: plain.identity) { number in
      let ticket = plain.ticket(number)
      return Ticket(
        id: ticket.id, spool: ticket.spool, name: ticket.name, storage: ticket.storage, backend: ticket.backend,
        bucket: ticket.bucket, key: ticket.key, contentType: ticket.contentType, metadata: ticket.metadata,
        priority: ticket.priority, createdAt: ticket.createdAt, captures: Self.captures)
    }
    do {
      let ledger = try box.open()
      _ = try await ledger.admit([admission, .sample("b.pdf")])
      try ledger.close()
    }
    let ledger = try box.open()
    #expect(try await ledger.job(.number(JobNumber(rawValue: 1)))?.ticket.captures == Self.captures)
    #expect(try await ledger.job(.number(JobNumber(rawValue: 2)))?.ticket.captures == [:])
    try ledger.close()
  }
}
