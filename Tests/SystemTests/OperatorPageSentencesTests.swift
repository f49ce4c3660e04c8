import ChildProcesses
import Foundation
import Jobs
import Testing

@testable import Harness

/// The daemon's own sentences on the page in Chinese: each that the code can make.
@Suite(.slot, .needs(.browser))
struct OperatorPageSentencesTests {
  private static let time = Timestamp(year: 2026, month: 11, day: 21)
  private static let alice = Caller(uid: 1000, user: "ALICE")

  private static func job(_ state: State, _ failure: Failure?) -> Job {
    let ticket = Ticket(
      id: JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB), spool: "DOCUMENTS", name: FileName("A.PDF"),
      storage: "MAIN", backend: "MAIN", bucket: "B", key: "K", contentType: "application/pdf", metadata: [:],
      priority: 0, createdAt: time)
    var job = Job(
      number: JobNumber(rawValue: 42), ticket: ticket,
      identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5))
    job.state = state
    job.failure = failure
    return job
  }

  /// The reasons for a failure that are the daemon's own words, as far as they hold no words of libcurl's or a far side's.
  private static let reasons = [
    "the name of S3.EXAMPLE:443 cannot be resolved", "no connection to S3:443 within 10.0 s",
    "S3:443 moved no byte for 60.0 s", "S3:443 did not answer within 10.0 s", "the file /A/B is gone",
    "the file /A/B may not be read: give the daemon's user the right to read it",
    "STORAGE.MAIN is no longer configured", "HTTP 302: redirects are not followed: no L",
    "HTTP 200 with a web page, which is not the backend's answer: see whether a proxy or a login stands before it, and "
      + "whether the address is right",
  ]

  /// Every sentence about jobs and gates that the code makes.
  private static var sentences: [String] {
    var all: [String] = []
    for reason in reasons {
      let failure = Failure(.transient, reason)
      for step in Step.allCases {
        for (kind, states) in [
          (JobEvent.Kind.deferred, [State.deferred, .awaitingCredentials, .awaitingNetwork]),
          (.question, [.awaitingConfirmation]), (.aborted, [.aborted]),
        ] {
          for state in states {
            var job = job(state, failure)
            if kind == .question {
              job.question = Question(text: Sentences.question(step, job.ticket.name, reason: reason), askedAt: time)
            }
            all.append(JobEvent(at: time, kind: kind, step: step, job: job).message)
          }
        }
      }
    }
    for kind in JobEvent.Kind.allCases where ![.deferred, .question, .aborted].contains(kind) {
      for step in Step.allCases {
        all.append(JobEvent(at: time, kind: kind, step: step, job: job(.queued, nil), by: alice).message)
      }
    }
    all += Gate.Reason.allCases.map { "STORAGE.MAIN is on hold: \($0.words)" }
    return all + [
      "STORAGE.MAIN is in use again", Sentences.recovered(1), Sentences.recovered(5),
      Sentences.objectLeft(FileName("A.PDF"), at: "STORAGE.MAIN", reason: reasons[0]),
    ]
  }

  @Test func eachIsThereInChinese() async throws {
    try await withRig { rig in
      try await rig.withPage { browser, _ in
        try await browser.value("language = 'zh'")
        for sentence in Set(Self.sentences).sorted() {
          let said = try #require(try await browser.value("said(\(JSONValue.string(sentence).description))").string)
          #expect(said.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }, "\(sentence)")
          // Names are in capitals here; commands to type and key names stay as they are.
          let rest = said.replacing("waybill resume --recovered", with: "").replacing("storage.MAIN", with: "")
          #expect(!rest.contains(/[a-z]{3,}/), "\(sentence): \(said)")
        }
      }
    }
  }

  @Test func whatThePageShowsIsChinese() async throws {
    try await withRig { rig in
      try await rig.sandbox.fail(["register": ["status": 422, "body": #"{"error":"invoice number is taken"}"#]])
      try await rig.drop("invoice.pdf", until: "awaiting-confirmation")
      try await rig.withPage { browser, _ in
        try await browser.value("language = 'zh', refreshJobs(), 1")
        try await browser.holds(
          "document.querySelector('#jobs tbody .what').innerText.includes('登记 invoice.pdf 失败：HTTP 422: invoice number is taken。重试吗？')"
        )
      }
    }
  }

  private func reasons(_ file: String, _ rig: Rig) async throws -> [JSONValue] {
    let command = try await rig.daemon.waybill("explain", "--json", file)
    return try JSONValue(parsing: command.output).files.array.flatMap(\.reasons.array)
  }

  /// Everything that `explain` says of the files of its own tests.
  @Test(arguments: [false, true]) func whatIsSaidOfAFileIsThereInChinese(isRecursive: Bool) async throws {
    try await withRig({ setup in
      (setup.settle, setup.settleUnseen, setup.settleEmpty) = ("10min", "10min", "20min")
      if isRecursive { setup.spoolLines = ["recursive = true"] }
    }) { rig in
      let cases = ExplainTests.cases.filter { $0.isRecursive == isRecursive }
      var told: [JSONValue] = []
      for one in cases {
        // Some make a directory that is there already.
        try await Command.require(["sh", "-c", one.script + "; true", "_", rig.setup.spool.path])
        told += try await reasons(rig.setup.spool.path + "/" + one.name, rig)
      }
      #expect(try await rig.daemon.waybill("pause", "--intake").status == 0)
      let names = ["nowhere.pdf", "/etc/hostname", rig.setup.spool.path + "/" + cases[0].name]
      for name in names { told += try await reasons(name, rig) }
      try await rig.withPage { browser, _ in
        try await browser.value("language = 'zh'")
        for sentence in told.flatMap({ [$0.detail.string ?? "", $0.remedy.string ?? ""] }) where !sentence.isEmpty {
          let said = try #require(try await browser.value("said(\(JSONValue.string(sentence).description))").string)
          #expect(said.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }, "\(sentence)")
        }
      }
    }
  }
}
