import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A backend that was wrong for a night: as many open questions as a person can only answer in bulk.
///
/// How long it takes is told. What 10,000 take is measured by `Benchmarks/questions.py`.
@Suite(.slot)
struct ManyQuestionsTests {
  private static let count = 2000

  /// What of a listed job is looked at here; thousands of whole ones would take their time.
  private struct Listed: Decodable {
    struct Job: Decodable {
      var job: Int
      var name: String
      var state: String
      var step: String
    }
    var jobs: [Job]
    var next: String?
  }

  private func list(_ rig: Rig, _ words: String...) async throws -> [Listed.Job] {
    let words = ["list", "--socket", rig.setup.socket, "--json", "--state", "awaiting-confirmation"] + words
    let text = try await timed("list \(words.dropFirst(3).joined(separator: " "))") {
      try await Command.require([Products.command] + words)
    }
    let listed = try JSONDecoder().decode(Listed.self, from: Data(text.utf8))
    #expect(listed.next == nil)
    return listed.jobs
  }

  /// Runs it and tells how long that took.
  private func timed<Value>(_ what: String, _ body: () async throws -> Value) async throws -> Value {
    let begin = ContinuousClock.now
    let value = try await body()
    print("\(Self.count) open questions: \(what): \(ContinuousClock.now - begin)")
    return value
  }

  /// Files of their own names, made and renamed in by one program.
  private func dropAll(_ rig: Rig) async throws {
    let script = """
      import os, sys
      outside, spool, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
      os.makedirs(outside, exist_ok=True)
      for number in range(1, count + 1):
          path = os.path.join(outside, "file")
          with open(path, "w") as out:
              out.write(str(number))
          os.rename(path, os.path.join(spool, f"{number:05}.pdf"))
      """
    try await Command.require([
      "python3", "-c", script, rig.folder.appending(path: "outside").path, rig.setup.spool.path, String(Self.count),
    ])
  }

  @Test func listsFiltersAndConfirmsThousands() async throws {
    let refused: JSONValue = ["register": ["status": 422, "body": #"{"error":"invoice number is taken"}"#]]
    try await withRig(faults: refused, { $0.daemonLines = ["journal = \"notice\""] }) { rig in
      try await timed("asked") {
        try await dropAll(rig)
        try await until("the questions", every: .milliseconds(100)) {
          try await rig.daemon.count("awaiting-confirmation") == Self.count
        }
      }
      let all = try await list(rig)
      #expect(all.map(\.job) == Array(1...Self.count) && Set(all.map(\.name)).count == Self.count)
      #expect(all.allSatisfy { $0.state == "awaiting-confirmation" && $0.step == "register" })
      let named = try await list(rig, "--name", "*77.pdf")
      #expect(named.count == Self.count / 100 && named.allSatisfy { $0.name.hasSuffix("77.pdf") })
      #expect(try await list(rig, "--error", "invoice number is taken").count == Self.count)
      #expect(try await list(rig, "--error", "something else").isEmpty)
      // The same pages as a program reads them.
      let pages = try await timed("GET /v1/jobs, page by page") { try await readPages(rig) }
      #expect(pages == all.map(\.job))

      try await rig.sandbox.recover()
      let confirmed = try await timed("confirm --all") { try await rig.daemon.waybill("confirm", "--all", "--yes") }
      #expect(confirmed.status == 0 && confirmed.output == "2,000 jobs confirmed\n", "\(confirmed)")
      try await timed("registered after that") {
        try await until("all to be registered", every: .milliseconds(100)) {
          try await rig.daemon.count("registered") == Self.count
        }
      }
      #expect(try await list(rig).isEmpty)
      let state = try await rig.sandbox.state()
      #expect(state.registrations.lines.int == Self.count && state.registrations.mismatched == 0)
      #expect(state.requests.upload.int == Self.count, "no file is uploaded again")
    }
  }

  private func readPages(_ rig: Rig) async throws -> [Int] {
    var jobs: [Int] = []
    var next: String? = ""
    while let after = next {
      let place = after.isEmpty ? "" : "&after=" + percentEncoded(after)
      let answer = try await rig.daemon.control(
        "GET", "/v1/jobs?state=awaiting-confirmation&limit=1000" + place)
      let page = try JSONDecoder().decode(Listed.self, from: Data(answer.body.utf8))
      #expect(page.jobs.count == 1000)
      jobs += page.jobs.map(\.job)
      next = page.next
    }
    return jobs
  }
}
