import ChildProcesses
import Foundation
import Jobs
import Linux
import MessageLiterals
import Messages
import Settings
import Synchronization
import Testing

@testable import Reports
@testable import SystemdLink

/// The events of the journal with all that their entries may have, against the lists of what version 1 promises.
@Suite struct JournalFieldTests {
  private let caller = Caller(uid: 1000, user: "alice")

  private func job(_ kind: JobEvent.Kind) -> Job {
    let ticket = Ticket(
      id: JobID(high: 1, low: 2), spool: "documents", name: FileName("a.pdf"), storage: "main", backend: "main",
      bucket: "documents", key: "a.pdf", contentType: "application/pdf", metadata: [:], priority: 0,
      createdAt: Timestamp(seconds: 1))
    var job = Job(
      number: JobNumber(rawValue: 1), ticket: ticket,
      identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5))
    job.failure = Failure(.transient, "HTTP 500", status: 500, code: "InternalError")
    job.nextAttemptAt = kind == .deferred ? Timestamp(seconds: 2) : nil
    job.registration = RegistrationReceipt(status: 201, location: nil, body: "", registeredAt: Timestamp(seconds: 2))
    job.recognized = Recognized(job: JobNumber(rawValue: 7), sha256: "")
    return job
  }

  private func occurrence(_ kind: Occurrence.Kind) -> Occurrence {
    let subject: Occurrence.Subject =
      switch kind {
      case .gateClosed, .gateOpened, .objectLeft: .destination(.storage("main"))
      case .spoolOverflow, .spoolProblem: .spool("documents")
      case .ledgerProblem, .ledgerRecovered: .ledger
      case .reloaded: .configuration
      }
    return Occurrence(
      kind, of: subject, at: Timestamp(seconds: 3), message: .unknownReason, reason: "why",
      until: kind == .gateClosed ? Timestamp(seconds: 4) : nil,
      by: kind == .reloaded || kind == .gateClosed || kind == .gateOpened ? caller : nil)
  }

  private static func names(_ entry: JournalEntry) throws -> [String: Any] {
    let line = JournalJSON.line(entry, identifier: "waybilld")
    return try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
  }

  @Test func entriesKeepIDsAndFields() throws {
    let sent = Mutex<[JournalEntry]>([])
    let writer = JournalWriter(collecting: { entries in sent.withLock { $0 += entries } })
    let clock = Clock(now: { Timestamp(seconds: 3) }, steady: { Timestamp(seconds: 3) })
    let log = try EventLog(writer: writer, level: .debug, clock: clock, on: .system)
    for kind in JobEvent.Kind.allCases {
      log.log([
        JobEvent(
          at: Timestamp(seconds: 3), kind: kind, step: .upload, job: job(kind), took: .seconds(1), by: caller,
          reason: .unknownReason)
      ])
    }
    for kind in Occurrence.Kind.allCases where kind != .objectLeft { log.log(occurrence(kind)) }
    let folded = [JobEvent.Kind.deferred, .question, .aborted, .skipped].map { MessageIdentifier.job($0) }
    for event in folded + [.occurrence(.spoolProblem)] {
      var folding = JournalFolding()
      for _ in 0...JournalFolding.limit { _ = folding.add(.init(event: event), "words", at: Timestamp(seconds: 3)) }
      writer.send(JournalFolds.entry(of: try #require(folding.endAll().first)))
    }
    log.activity(isBusy: true, uploads: 1, registrations: 0)
    for event in [MessageIdentifier.started, .stopping] { log.log(event, "words", version: "1.0.0") }
    writer.send(EventLog.dropNotice(1))
    var lines: Set<String> = []
    for entry in sent.withLock(\.self) {
      let fields = try Self.names(entry)
      let name = try #require(fields["WAYBILL_EVENT"] as? String)
      lines.insert("\(name) \(fields["MESSAGE_ID"] ?? "") \(fields["PRIORITY"] ?? "")")
      lines.formUnion(fields.keys.filter { $0.hasPrefix("WAYBILL_") && $0 != "WAYBILL_EVENT" }.map { "\(name) \($0)" })
    }
    #expect(Set(lines.map { $0.prefix { $0 != " " } }).count == MessageIdentifier.allCases.count)
    try Promised.expect("journal", is: lines)
  }
}
