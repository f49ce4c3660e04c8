import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Every pair of what the two servers may say, through the real daemon, with no automatic retries.
@Suite(.slot, .needs(.journald))
struct PairTests {
  /// What is to come of a pair.
  struct Pair: Sendable, CustomTestStringConvertible {
    let upload: Int
    let register: Int

    var testDescription: String { "upload \(upload), register \(register)" }
    /// The step at which it ends.
    var step: String { upload == 200 ? "register" : "upload" }
    /// The status that decides.
    var status: Int { upload == 200 ? register : upload }
    var noun: String { upload == 200 ? "Registration" : "Upload" }
    /// The status and the server's own words, as the sandbox is told to say them.
    var reason: String {
      upload == 200 ? "HTTP \(status): the clerk is out" : "HTTP \(status) OutToLunch: the shelf is full"
    }

    var state: String {
      switch status {
      case 200: "registered"
      case 503: "aborted"
      default: "awaiting-confirmation"
      }
    }
    var event: String {
      switch status {
      case 200: "registered"
      case 503: "aborted"
      default: "question"
      }
    }
    var priority: String {
      switch status {
      case 200: "6"
      case 503: "3"
      default: "4"
      }
    }

    var question: JSONValue {
      state == "awaiting-confirmation"
        ? .string("\(noun) of scan 1.pdf failed: \(reason). Retry?") : .null
    }

    var message: String {
      switch status {
      case 200: "scan 1.pdf uploaded and registered"
      case 503: "\(noun) of scan 1.pdf aborted: service unavailable (503)"
      default: question.string ?? ""
      }
    }

    var faults: JSONValue {
      [
        "upload": upload == 200
          ? nil : ["status": .number(Double(upload)), "code": "OutToLunch", "message": "the shelf is full"],
        "register": register == 200
          ? nil : ["status": .number(Double(register)), "message": "the clerk is out"],
      ]
    }
  }

  static let pairs = [200, 503, 599].flatMap { upload in
    [200, 503, 408].map { Pair(upload: upload, register: $0) }
  }

  @Test(arguments: pairs)
  func endsInExpectedStepAndState(_ pair: Pair) async throws {
    try await withRig(faults: pair.faults, journal: true) { rig in
      let journal = try #require(rig.journal)
      let job = try await rig.drop("scan 1.pdf", until: pair.state)
      #expect(job.step.string == pair.step)
      #expect(job.question == pair.question)
      #expect(job.attempt == 1)
      #expect(job.link.isNull == (pair.upload != 200))
      #expect(job.finished_at.isNull == (pair.event == "question"))
      if pair.status == 200 {
        #expect(job.error.isNull)
        let disposed = try await until("the file's disposal") {
          let job = try await rig.daemon.job(1)
          return job.disposed_at.isNull ? nil : job
        }
        #expect(disposed.path.isNull)
        #expect(try rig.filesLeft().isEmpty)
        #expect(try rig.sandbox.registrations().map(\.body.id) == [job.id])
      } else {
        #expect(job.error.kind.string == (pair.status == 503 ? "unavailable" : "transient"))
        #expect(job.error.status.int == pair.status)
        #expect(job.existingPath != nil, "the file has to be kept")
        #expect(try await rig.sandbox.count("register") == (pair.upload == 200 ? 1 : 0))
      }
      #expect(try await rig.sandbox.count("upload") == 1)
      try await Self.checkJournal(journal, job, pair)
      try await Self.checkAtRest(rig, job)
    }
  }

  private static func checkJournal(_ journal: Journal, _ job: JSONValue, _ pair: Pair) async throws {
    let entry = try await journal.entry("WAYBILL_EVENT=\(pair.event)")
    #expect(entry.MESSAGE.string == pair.message)
    #expect(entry.PRIORITY.string == pair.priority)
    #expect(entry.WAYBILL_JOB == "1")
    #expect(entry.WAYBILL_ID == job.id)
    #expect(entry.WAYBILL_SPOOL == "documents")
    #expect(entry.WAYBILL_FILE == "scan 1.pdf")
    #expect(entry.MESSAGE_ID.string?.count == 32)
    if pair.status == 200 {
      #expect(entry.WAYBILL_LINK == job.link)
      #expect(entry.WAYBILL_BYTES == "11")
      #expect(entry.WAYBILL_HTTP_STATUS == "201")
      #expect(Int(entry.WAYBILL_DURATION_USEC.string ?? "") != nil)
    } else {
      #expect(entry.WAYBILL_STEP.string == pair.step)
      #expect(entry.WAYBILL_ATTEMPT == "1")
      #expect(entry.WAYBILL_ERROR_KIND == job.error.kind)
      #expect(entry.WAYBILL_HTTP_STATUS.string == String(pair.status))
    }
    for other in ["registered", "question", "aborted"] where other != pair.event {
      #expect(try await journal.entries("WAYBILL_EVENT=\(other)").isEmpty)
    }
  }

  /// Nothing is in flight while a job waits for a person, and the journal says so before anyone answers.
  private static func checkAtRest(_ rig: Rig, _ job: JSONValue) async throws {
    try await until("nothing to be in flight") {
      let activity = try await rig.daemon.status().activity
      return activity.upload == 0 && activity.register == 0
    }
    let busy = try await rig.journal?.entry("WAYBILL_EVENT=activity", "WAYBILL_ACTIVITY=busy")
    let idle = try await rig.journal?.entry("WAYBILL_EVENT=activity", "WAYBILL_ACTIVITY=idle")
    #expect(busy?.PRIORITY == "6")
    #expect(idle?.PRIORITY == "6")
    #expect(idle?.WAYBILL_UPLOADS == "0")
    #expect(idle?.WAYBILL_REGISTRATIONS == "0")
    #expect(idle?.has("WAYBILL_JOB") == false)
    let now = try await rig.daemon.job(1)
    #expect(now.state == job.state, "the question is still open")
    #expect(now.question == job.question)
  }
}
