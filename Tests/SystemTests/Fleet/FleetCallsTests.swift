import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What people read of all hosts, and what their answers reach.
@Suite(.slot, .needs(.postgreSQL))
struct FleetCallsTests {
  private static func job(_ host: Int, _ number: Int) -> String {
    let state = number % 4 == 0 ? "awaiting-confirmation" : number % 4 == 1 ? "queued" : "registered"
    let time: JSONValue = .string("2026-11-\(number < 10 ? "0" : "")\(number)T00:00:00.000Z")
    let words = number % 8 == 0 ? "Key \(number) is 100% wrong" : "another"
    let doc: JSONValue = [
      "job": .number(Double(number)),
      "id": .string("0000000\(host)-00\(number < 10 ? "0" : "")\(number)-7000-8000-000000000000"),
      "revision": .number(Double(number)), "spool": "documents", "name": .string("Scan[\(number)].PDF"),
      "path": "/srv/x", "size": 1, "step": "upload", "state": .string(state),
      "phase": .string(["awaiting-confirmation": "needs-you", "queued": "waiting"][state] ?? "done"),
      "destination": "storage.main", "attempt": 1,
      "error": number % 4 == 0 ? ["kind": "unavailable", "status": 422, "message": ["text": .string(words)]] : .null,
      "created_at": time, "updated_at": time,
    ]
    return """
      INSERT INTO waybill.job (ledger, number, owner, revision, doc)
      VALUES ('\(Fleet200.ledger(host))', \(number), 'one', \(number), \(Fleet200.quoted("\(doc)")));
      """
  }

  /// Three hosts, two of one name, with 20 jobs each: every fourth asks. The page answers as anna.
  private static func withJobs(_ body: (PostgreSQLServer, FleetPage) async throws -> Void) async throws {
    try await FleetSchemaTests.withTables { server in
      let folder = try TemporaryFolder()
      var sql = ""
      for (host, name) in [(1, "b"), (2, "a"), (3, "b")] {
        sql += Fleet200.host(host, name: name, allow: "cancel")
        for number in 1...20 { sql += job(host, number) }
      }
      #expect(try await server.sql(sql).status == 0)
      let page = try await FleetPage(
        in: folder.url, database: server.database("anna"), lines: ["user = \"anna\""], socket: true)
      try await body(server, page)
    }
  }

  private static func jobs(_ page: FleetPage, _ query: String) async throws -> [JSONValue] {
    try await page.call("GET", "/v1/jobs?" + query).json.jobs.array
  }

  private static func numbers(_ page: FleetPage, _ term: String, _ value: String) async throws -> [Int] {
    try await jobs(page, "host=a&limit=1000&\(term)=\(percentEncoded(value))").compactMap(\.job.int)
  }

  private static func asked(_ server: PostgreSQLServer) async throws -> String {
    try await server.sql("SELECT right(ledger::text, 1), job FROM waybill.command ORDER BY 1, 2").output
  }

  @Test func pagesAndFiltersFindEachJobOnce() async throws {
    try await Self.withJobs { _, page in
      for (filter, count) in [
        ("", 60), ("state=awaiting-confirmation", 15), ("state=registered,queued", 45), ("host=b", 40),
        ("host=a,b", 60), ("order=newest", 60), ("since=2026-11-19T00:00:00Z", 6), ("until=2026-11-03T00:00:00Z", 6),
      ] {
        let all = try await Self.jobs(page, filter + "&limit=1000").compactMap(\.id.string)
        let sorted = filter == "order=newest" ? all.sorted(by: >) : all.sorted()
        #expect(all.count == count && Set(all).count == count && all == sorted, "\(filter)")
        for limit in [7, count] {
          var (paged, next): ([String], String?) = ([], nil)
          repeat {
            let query = "\(filter)&limit=\(limit)" + (next.map { "&after=" + percentEncoded($0) } ?? "")
            let found = try await page.call("GET", "/v1/jobs?" + query).json
            (paged, next) = (paged + found.jobs.array.compactMap(\.id.string), found.next.string)
          } while next != nil
          #expect(paged == all, "\(filter) \(limit)")
        }
      }
      for (pattern, found) in [
        ("scan[[]3*", [3]), ("*[[]?].pdf", [1, 2, 3, 4, 5, 6, 7, 8, 9]), ("can", Array(1...20)), ("*.PD", []),
        ("*.p?f", Array(1...20)), ("*n[[]2]*", [2]), (".pdf", Array(1...20)), ("%", []), ("a.", []), ("\\", []),
      ] as [(String, [Int])] {
        #expect(try await Self.numbers(page, "name", pattern) == found, "\(pattern)")
      }
      for (words, found) in [
        ("UNAVAILABLE", [4, 8, 12, 16, 20]), ("key 8 is", [8]), ("key … wrong", [8, 16]), ("100%", [8, 16]),
        ("k.y", []), ("wrong…key", []),
      ] as [(String, [Int])] {
        #expect(try await Self.numbers(page, "error", words) == found, "\(words)")
      }
      // at the terminal, with the hosts
      let list = try await page.waybill(["list", "--host", "a", "--state", "awaiting-confirmation"])
      #expect(list.status == 0 && list.output.hasPrefix("HOST") && list.output.contains("Scan[20].PDF"), "\(list)")
      let shown = try await page.waybill(["show", "a:8"])
      #expect(shown.status == 0 && shown.output.contains("Key 8 is 100% wrong"), "\(shown)")
    }
  }

  /// Jobs that came or changed after the group was shown were not shown, whoever wrote them.
  @Test func groupAnswerReachesOnlyShownJobs() async throws {
    try await Self.withJobs { server, page in
      func shown(_ number: Int, _ query: String = "") async throws -> JSONValue {
        let groups = try await page.call("GET", "/v1/groups?state=awaiting-confirmation" + query).json.groups.array
        #expect(groups.map(\.count.int) == (query.isEmpty ? [9, 6] : [3, 2]), "\(groups)")
        return ["like": groups[number].group, "digest": groups[number].digest]
      }
      func status(_ group: JSONValue, _ more: JSONValue = [:]) async throws -> Int {
        let body = JSONValue.object(group.members.merging(more.members) { $1 })
        return try await page.send("/v1/jobs/cancel", body).status
      }
      func change(_ sql: String) async throws { #expect(try await server.sql(sql).status == 0, "\(sql)") }
      let (nine, six) = (try await shown(0), try await shown(1))
      #expect(try await status(["like": six.like]) == 400, "it was not shown")
      #expect(try await status(["like": six.like, "digest": nine.digest]) == 409)
      #expect(try await status(six, ["host": "a"]) == 409, "it was counted without a host")
      // the same jobs in another form are not those that were shown
      try await change(
        "UPDATE waybill.job SET revision = 99 WHERE number = 8 AND ledger = '\(Fleet200.ledger(1))'")
      #expect(try await status(six) == 409)
      #expect(try await Self.asked(server) == "")
      // one that has left is no harm, and one that came later is not reached
      let again = try await shown(1)
      try await change("DELETE FROM waybill.job WHERE number = 16 AND ledger = '\(Fleet200.ledger(2))'")
      try await change(
        """
        UPDATE waybill.job SET doc = doc || (SELECT jsonb_build_object('state', other.doc -> 'state', 'error', other.doc -> 'error',
          'updated_at', '2026-11-30T00:00:00.000Z') FROM waybill.job AS other WHERE other.number = 8 LIMIT 1) WHERE number = 1
        """)
      #expect(try await status(again) == 202)
      #expect(try await Self.asked(server) == "1|8\n1|16\n2|8\n3|8\n3|16\n")
      // a host that takes the name by which the jobs were chosen brings its own along
      let ofA = try await page.call("GET", "/v1/groups?host=a&state=awaiting-confirmation").json.groups.array[0]
      try await change("UPDATE waybill.host SET name = 'a'; DELETE FROM waybill.command")
      let taken: JSONValue = ["like": ofA.group, "digest": ofA.digest, "host": "a"]
      #expect(try await status(taken) == 409)
      #expect(try await Self.asked(server) == "")
    }
  }

  /// A command reaches only hosts that allow it; for the others the answer says so.
  @Test func commandsReachOnlyAllowingHosts() async throws {
    try await Self.withJobs { server, page in
      let ledger = Fleet200.ledger(2)
      #expect(
        try await server.sql("UPDATE waybill.host SET allow = 'cancel,remove' WHERE ledger = '\(ledger)'").status == 0)
      let answer = try await page.send("/v1/jobs/cancel", ["all": true, "remove": true])
      let told = try answer.json
      #expect(answer.status == 202 && told.asked == 5 && told.refused == 10 && told.done == 0, "\(answer)")
      #expect(told.refusals.array.map(\.host.string) == ["b", "b"], "\(answer)")
      #expect(try await Self.asked(server) == "2|4\n2|8\n2|12\n2|16\n2|20\n")
      #expect(page.journal.contains("anna asks for cancel with removal: 5 commands"))
      #expect(try await server.sql("DELETE FROM waybill.command").status == 0)
      let alone = try await page.send("/v1/jobs/\(Fleet200.ledger(1)):4/cancel", ["remove": true])
      #expect(alone.status == 403 && alone.body.contains("b does not allow cancel, remove"), "\(alone)")
      // the revision is the one that the person saw, not what the database shows by now
      #expect(try await page.send("/v1/jobs/a:4/cancel", ["revision": 2]).status == 202)
      func revisions() async throws -> String {
        try await server.sql("SELECT job, revision FROM waybill.command WHERE job IS NOT NULL ORDER BY job").output
      }
      #expect(try await revisions() == "4|2\n")
      let seen: JSONValue = ["jobs": [["job": "a:4", "revision": 2], ["job": "a:8", "revision": 8], "a:99"]]
      let some = try await page.send("/v1/jobs/cancel", seen).json
      #expect(try await revisions() == "4|2\n4|2\n8|8\n")
      #expect(some.asked == 2 && some.refused == 1, "\(some)")
    }
  }

  /// A job that has left the copy by the time at which its host answers was answered all the same.
  @Test func outcomeIsToldWithoutTheJob() async throws {
    try await Self.withJobs { server, page in
      let sent = Task { try await page.send("/v1/jobs/a:4/cancel", [:]) }
      try await until("the host to be asked") {
        try await server.sql("SELECT count(*) FROM waybill.command").output == "1\n"
      }
      let told = """
        DELETE FROM waybill.job WHERE ledger = '\(Fleet200.ledger(2))' AND number = 4;
        UPDATE waybill.command SET outcome = 'done', words = 'cancelled there', done_at = now();
        """
      #expect(try await server.sql(told).status == 0)
      let answer = try await sent.value
      let job = try answer.json
      #expect(answer.status == 200 && job.message == "cancelled there", "\(answer)")
      #expect(job.job == 4 && job.host == "a", "\(answer)")
    }
  }

  /// A host may name itself as it likes, also by the uuid of another one's ledger: that is still the other one's. And a name
  /// that several jobs have is refused.
  @Test func namesMeanOneJob() async throws {
    try await Self.withJobs { server, page in
      let victim = Fleet200.ledger(1)
      #expect(
        try await server.sql("UPDATE waybill.host SET name = '\(victim)' WHERE ledger = '\(Fleet200.ledger(2))'").status
          == 0)
      for name in [victim, victim.uppercased()] {
        let found = try await Self.jobs(page, "host=\(name)&limit=1000")
        #expect(found.count == 20 && found.allSatisfy { $0.host == "b" }, "\(name)")
        #expect(try await page.send("/v1/jobs/\(name):4/cancel", [:]).status == 202)
      }
      #expect(try await server.sql("SELECT DISTINCT ledger FROM waybill.command").output == "\(victim)\n")
      #expect(try await server.sql("DELETE FROM waybill.command; UPDATE waybill.host SET name = 'b'").status == 0)
      let id = "00000001-0004-7000-8000-000000000000"
      #expect(
        try await server.sql("UPDATE waybill.job SET doc = doc || '{\"id\": \"\(id)\"}' WHERE number = 4").status == 0)
      for name in ["b:4", "4", id] {
        let answer = try await page.send("/v1/jobs/\(name)/cancel", [:])
        #expect(answer.status == 404 && answer.body.contains("Several hosts have a job \(name)"), "\(answer)")
        let command = try await page.waybill(["cancel", name])
        #expect(command.status != 0 && command.errors.contains("Several hosts"), "\(command)")
      }
      #expect(try await page.call("GET", "/v1/jobs/\(victim)%3A4").status == 200)
      #expect(try await page.call("GET", "/v1/jobs/99").status == 404)
      #expect(try await Self.asked(server) == "")
    }
  }

  /// A stream has events in the order in which they came, also those that happened earlier, and goes on where it was left.
  @Test func streamHasLateEvents() async throws {
    try await Self.withJobs { server, page in
      func happen(_ number: Int) async throws {
        let doc = #"{"id": 1, "event": "question", "at": "2026-11-21T00:00:00.000Z", "message": "late \#(number)"}"#
        let made = try await server.sql(
          """
          INSERT INTO waybill.event (ledger, owner, generation, sequence, at, doc)
          VALUES ('\(Fleet200.ledger(1))', 'one', 1, \(number), now() - interval '\(number) days', \(Fleet200.quoted(doc)))
          """)
        #expect(made.status == 0, "\(made)")
      }
      func read(after id: String? = nil) throws -> ChildProcess {
        try ChildProcess(
          ["curl", "-q", "-sSN", "--noproxy", "*", "--unix-socket", page.origin, "http://localhost/v1/events"]
            + (id.map { ["-H", "Last-Event-ID: \($0)"] } ?? []))
      }
      let reader = try read()
      try await until("the stream to begin") { reader.outputText.contains("id: ") }
      for number in 1...2 {
        try await happen(number)
        try await until("event \(number)") { reader.outputText.contains("late \(number)") }
      }
      let blocks = reader.outputText.components(separatedBy: "\n\n")
      let first = try #require(blocks.first { $0.contains("late 1") })
      let again = try read(after: String(first.dropFirst("id: ".count).prefix { $0 != "\n" }))
      try await until("the second again") { again.outputText.contains("late 2") }
      #expect(!again.outputText.contains("late 1"), "\(again.outputText)")
    }
  }

  /// A ledger that was lost gives its numbers again: the history of a job has no events of an earlier one.
  @Test func historyIsOfOneJob() async throws {
    try await Self.withJobs { server, page in
      for (generation, time) in [(0, "2026-11-03T23"), (0, "2026-11-05T00"), (1, "2026-11-03T22")] {
        let at = "\(time):00:00.000Z"
        let doc = #"{"id": 1, "event": "question", "at": "\#(at)", "message": "x", "job": 4, "step": "upload"}"#
        let made = try await server.sql(
          """
          INSERT INTO waybill.event (ledger, owner, generation, sequence, at, doc)
          VALUES ('\(Fleet200.ledger(2))', 'one', \(generation), \(time.suffix(2)), now(), \(Fleet200.quoted(doc)))
          """)
        #expect(made.status == 0, "\(made)")
      }
      let history = try await page.call("GET", "/v1/jobs/a:4").json.history.array
      #expect(history.compactMap(\.at.string) == ["2026-11-05T00:00:00.000Z", "2026-11-03T22:00:00.000Z"])
    }
  }

  @Test func namesAndMessagesStayText() async throws {
    try await FleetPageGuardTests.withHost { folder, server in
      var sql = ""
      for (number, text) in ["\u{1B}]0;title\u{7}.pdf", "\u{202E}gpj.exe", "日本\u{200B}語.pdf", "<b>x"].enumerated() {
        sql += Fleet200.host(100 + number, name: text) + Fleet200.job(100 + number, 1, name: text, reason: text)
      }
      #expect(try await server.sql(sql).status == 0)
      let page = try await FleetPage(in: folder, database: server.database("anna"), lines: [], socket: true)
      for words in [["list"], ["status"], ["list", "--by", "reason"], ["list", "--json"], ["status", "--json"]] {
        let answer = try await page.waybill(words)
        #expect(answer.status == 0 || words[0] == "status" && answer.status == 1, "\(answer)")
        RawText.expectNone(answer, words.joined(separator: " "))
      }
    }
  }
}
