import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// The client for Python, `share/examples/waybill_client.py`, against a real daemon.
@Suite(.slot)
struct PythonClientTests {
  private static let environment: [String: String?] = [
    "PYTHONPATH": Products.source("share/examples"), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error",
  ]
  private static let refused: JSONValue = ["register": ["status": 422, "body": #"{"error":"taken"}"#]]

  /// Runs a script that has a client, and returns what it puts into `out`.
  private func run(_ rig: Rig, _ script: String) async throws -> JSONValue {
    let whole = """
      import json, sys
      from waybill_client import Client, Problem, Unreachable
      client, out = Client(sys.argv[1]), {}
      \(script)
      print(json.dumps(out))
      """
    let command = try await Command.run(
      [try await Products.python.value, "-c", whole, rig.setup.socket], environment: Self.environment)
    guard command.status == 0 else { throw Missing("the script failed: \(command.errors)") }
    return try JSONValue(parsing: command.output)
  }

  @Test func pagesListsAndRaisesErrors() async throws {
    try await withRig(faults: Self.refused) { rig in
      for number in 1...5 { try await rig.drop("\(number).pdf", until: "awaiting-confirmation") }
      let out = try await run(
        rig,
        """
        out["version"] = client.status()["version"]
        out["all"] = [job["job"] for job in client.jobs(state="awaiting-confirmation", page=2)]
        out["first"] = [job["job"] for job in client.jobs(limit=3, page=2)]
        out["last"] = [job["job"] for job in client.jobs(state=["registered", "awaiting-confirmation"], order="newest", limit=1)]
        out["named"] = [job["job"] for job in client.jobs(name="3.p*f")]
        job = client.job(2)
        out["attempts"], out["same"] = len(job["attempts"]), client.job(job["id"]) == job
        out["group"] = client.groups()[0]["count"]
        out["log"] = [event["id"] for event in client.log(event="question", page=2, order="oldest")]
        def fault(call):
            try:
                call()
            except Problem as problem:
                return [problem.status, problem.title, problem.detail, problem.members["status"]]
        out["missing"] = fault(lambda: client.job(99))
        out["unknown"] = fault(lambda: list(client.jobs(colour="red")))
        """)
      #expect(out.version.string?.isEmpty == false && out.all == [1, 2, 3, 4, 5] && out.first == [1, 2, 3])
      #expect(out.last == [5] && out.named == [3] && out.attempts == 2 && out.same == true && out.group == 5, "\(out)")
      #expect(out.log.array.count == 5 && out.log.array.compactMap(\.int) == out.log.array.compactMap(\.int).sorted())
      #expect(out.missing.array.first == 404 && out.missing.array.last == 404, "\(out.missing)")
      #expect(out.unknown.array.first == 400 && out.unknown.array[1] == "Bad Request", "\(out.unknown)")
      #expect(out.unknown.array[2].string?.contains("colour") == true, "\(out.unknown)")
    }
  }

  @Test func answersUnchangedJobsOnly() async throws {
    try await withRig(faults: Self.refused) {
      $0.daemonLines = ["fleet_user = \"\(getuid())\""]
    } _: { rig in
      for number in 1...6 { try await rig.drop("\(number).pdf", until: "awaiting-confirmation") }
      let out = try await run(
        rig,
        """
        jobs = list(client.jobs())
        out["cancelled"] = client.cancel(jobs[0], reason="not ours")["state"]
        try:
            client.cancel(jobs[0])
        except Problem as problem:
            out["stale"] = [problem.status, problem.members["state"]]
        many = client.cancel_many(jobs[:3])
        out["many"] = [many["done"], many["refused"], str(many["refusals"][0]["job"])]
        anna = Client(sys.argv[1], on_behalf_of="anna")
        out["pair"] = anna.cancel((4, jobs[3]["revision"]))["state"]
        out["by"] = next(iter(client.log(limit=1)))["by"]["user"]
        out["released"] = client.release(4, sys.argv[1].rsplit("/", 1)[0] + "/outside")["state"]
        out["discarded"] = client.discard_many([1])["done"]
        out["paused"] = client.pause("spool.documents")["pauses"][0]["destination"]
        out["retried"] = client.retry(2)["state"]
        out["resumed"] = client.resume("spool.documents")["pauses"]
        out["reloaded"] = client.reload()["changed"]
        """)
      #expect(out.cancelled == "cancelled" && out.stale == [409, "cancelled"], "\(out)")
      #expect(out.many == [2, 1, "1"] && out.pair == "cancelled" && out.by == "anna (fleet)", "\(out)")
      #expect(out.discarded == 1 && out.paused == "spool.documents" && out.retried == "queued", "\(out)")
      #expect(out.resumed == [] && out.reloaded == [], "\(out)")
      try await until("the file to be given back") {
        FileManager.default.fileExists(atPath: rig.folder.appending(path: "outside/4.pdf").path)
      }
      // The group as it was shown, and the rest by a filter.
      try await rig.daemon.job(named: "2.pdf", in: "awaiting-confirmation", after: "queued")
      try await rig.sandbox.recover()
      let rest = try await run(
        rig,
        """
        group = client.groups(state="awaiting-confirmation")[0]
        out["count"] = group["count"]
        out["done"] = client.confirm_many(like=group["group"], digest=group["digest"], state="awaiting-confirmation")["done"]
        out["retried"] = client.retry_many(state="cancelled")["done"]
        """)
      #expect(rest.count == 3 && rest.done == 3 && rest.retried == 1, "\(rest)")
      try await until("4 registered") { try await rig.daemon.count("registered") == 4 }
    }
  }

  @Test func eventsSurviveRestartOnceEach() async throws {
    try await withRig { rig in
      let script = """
        import json, sys
        from waybill_client import Client
        for event in Client(sys.argv[1]).events(after=int(sys.argv[2])):
            print(json.dumps([event["id"], event["event"]]), flush=True)
        """
      func reader(after id: Int, _ log: String) async throws -> ChildProcess {
        try ChildProcess(
          [try await Products.python.value, "-c", script, rig.setup.socket, "\(id)"], environment: Self.environment,
          folder: rig.folder, log: log)
      }
      func told(_ reader: ChildProcess) throws -> [JSONValue] {
        try reader.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
          .map { try JSONValue(parsing: String($0)) }
      }
      let first = try await reader(after: 0, "first")
      defer { first.cut() }
      for number in 1...3 { try await rig.drop("\(number).pdf", until: "registered") }
      try await until("9 events") { try told(first).count == 9 }
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      try await rig.drop("4.pdf", until: "registered")
      try await rig.daemon.kill()
      try await rig.daemon.start()
      try await rig.drop("5.pdf", until: "registered")
      try await until("15 events") { try told(first).count >= 15 }
      #expect(try told(first).map { $0.array[0].int } == Array(1...15))
      #expect(try told(first).last?.array[1] == "registered")

      // Of those that are not there any more, or never were, it hears.
      let lost = try await reader(after: 999_999, "lost")
      defer { lost.cut() }
      try await until("all events") { try told(lost).count >= 16 }
      #expect(try told(lost).first == [nil, "reset"])
      #expect(try told(lost).dropFirst().map { $0.array[0].int } == Array(1...15))
    }
  }

  /// A connection that breaks before the answer: a command may have been carried out, so only what reads is sent again.
  @Test func repeatsOnlyWhatMayBeRepeated() async throws {
    try await withRig(starting: false) { rig in
      let out = try await run(
        rig,
        """
        import http.client, socket, threading
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1] + ".fake")
        server.listen(8)
        out["calls"] = []
        def serve():
            while True:
                peer, _ = server.accept()
                with peer, peer.makefile("rb") as lines:
                    out["calls"].append(b" ".join(lines.readline().split()[:2]).decode())
                    headers = http.client.parse_headers(lines)
                    lines.read(int(headers["Content-Length"] or 0))
                    if len(out["calls"]) not in (1, 3):
                        peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 11\\r\\n\\r\\n{\\"job\\": 42}")
        threading.Thread(target=serve, daemon=True).start()
        client = Client(sys.argv[1] + ".fake")
        try:
            client.confirm(42)
        except Unreachable:
            out["broken"] = True
        out["job"] = client.confirm(42)["job"]
        client.status()
        try:
            Client(sys.argv[1] + ".none", patience=0.1).status()
        except Unreachable as error:
            out["nobody"] = str(error)
        try:
            next(Client(sys.argv[1] + ".none", patience=0.1).events())
        except Unreachable as error:
            out["silence"] = str(error)
        """)
      #expect(out.job == 42 && out.broken == true, "\(out)")
      #expect(
        out.calls == ["POST /v1/jobs/42/confirm", "POST /v1/jobs/42/confirm", "GET /v1/status", "GET /v1/status"],
        "\(out)")
      #expect(out.nobody.string?.contains(".none") == true && out.silence == out.nobody, "\(out)")
    }
  }
}
