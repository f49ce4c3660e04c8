import ChildProcesses
import Foundation
import PostgreSQL
import Testing

@testable import Fleet
@testable import Harness

/// A host with `names = false` writes nothing into the database by which somebody could tell what a file is.
@Suite(.slot, .needs(.postgreSQL))
struct FleetNamesTests {
  /// In names of files, directories, metadata and in what the servers say of them.
  private static let secret = "geheim4711"

  /// Everything that is in the database, also in tables, columns and schemas that this test knows nothing of.
  private static func dump(_ server: PostgreSQLServer) async throws -> String {
    let tables = try await server.sql(
      """
      SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
      """
    ).output.split(separator: "\n")
    #expect(tables.count >= 4, "\(tables)")
    var all = ""
    for table in tables { all += try await server.sql("SELECT row_to_json(t)::text FROM \(table) AS t").output }
    return all
  }

  private static func expectNoNames(_ server: PostgreSQLServer, _ step: String) async throws {
    let found = try await dump(server).split(separator: "\n").filter { line in
      // as it stands, in hex and in base64, whatever comes before it
      let words =
        [secret, secret.utf8.map { String($0, radix: 16) }.joined()]
        + (0..<3).map {
          Data((String(repeating: "x", count: $0) + secret).utf8).base64EncodedString().dropFirst(4).prefix(8)
        }.map(String.init)
      return words.contains { line.localizedCaseInsensitiveContains($0) }
    }
    #expect(found.isEmpty, "\(step): \(found)")
  }

  @Test func noNameEverLeavesHost() async throws {
    let lines = ["names = false", "allow = [\"confirm\", \"cancel\", \"retry\", \"discard\", \"remove\"]"]
    try await withFleet(1, faults: FleetTests.refusing, lines: lines) { rig in
      let host = rig.hosts[0]
      for number in 1...6 { try host.drop("\(Self.secret)-\(number).pdf") }
      try await until("six questions") { try await host.daemon.count("awaiting-confirmation") == 6 }
      let told = try await host.daemon.jobs().map { "\($0)" }.joined()
      #expect(told.contains(Self.secret), "the daemon itself names them")
      func inFleet(_ state: String, _ count: Int) async throws {
        try await until("\(count) \(state) in the fleet") {
          try await rig.sql("SELECT count(*) FROM waybill.job WHERE state = '\(state)'") == "\(count)\n"
        }
      }
      try await inFleet("awaiting-confirmation", 6)
      try await Self.expectNoNames(rig.server, "questions")
      // commands that are carried out, of each kind, and such that are refused by the daemon in its own words
      #expect(
        try await rig.server.outcomes(rig.server.ask("cancel", ["reason": "no"], where: "job.number = 1")) == [
          "done: 1"
        ])
      let second = try await host.daemon.job(2).revision.int ?? 0
      #expect(try await rig.server.outcomes(rig.server.ask("confirm", where: "job.number = 2")) == ["done: 1"])
      try await until("the second question again") {
        let again = try await host.daemon.job(2)
        return again.state == "awaiting-confirmation" && (again.revision.int ?? 0) > second
      }
      try await inFleet("cancelled", 1)
      let ledger = try await rig.sql("SELECT ledger FROM waybill.host").trimmingCharacters(in: .newlines)
      let jobs = try await host.daemon.jobs()
      func revision(_ number: Int) -> Int { jobs.first { $0.job.int == number }?.revision.int ?? 0 }
      func ask(_ action: String, _ job: Int, revision: Int) async throws {
        let sql = PostgreSQLServer.asking("'\(action)'", of: job, at: ledger, revision: String(revision))
        let answer = try await rig.server.sql(sql, as: "anna")
        #expect(answer.status == 0, "\(answer)")
      }
      try await ask("discard", 3, revision: revision(3))
      try await ask("retry", 99, revision: 1)
      try await ask("cancel", 3, revision: revision(3) - 1)
      try await ask("confirm", 1, revision: revision(1))
      try await ask("discard", 1, revision: revision(1))
      #expect(
        try await rig.server.outcomes(rig.server.ask("cancel", ["remove": true], where: "job.number = 4")) == [
          "done: 1"
        ])
      let place = try rig.folder.madeFolder("released")
      try await until("the fourth job to be cancelled in the fleet") {
        try await rig.sql("SELECT state FROM waybill.job WHERE number = 4") == "cancelled\n"
      }
      try await until("the file to be given back") {
        try await host.daemon.waybill("release", "4", "--to", place.path).status == 0
      }
      let back = try FileManager.default.contentsOfDirectory(atPath: place.path)
      #expect(back == jobs.filter { $0.job.int == 4 }.compactMap(\.name.string))
      try await until("all to be answered") {
        try await rig.sql("SELECT count(*) FROM waybill.command WHERE outcome IS NULL") == "0\n"
      }
      let outcomes = try await rig.sql("SELECT DISTINCT outcome FROM waybill.command ORDER BY 1")
      #expect(outcomes == "changed\ndone\nrefused\n", "\(outcomes)")
      try await Self.expectNoNames(rig.server, "commands")
      // problems of the daemon, in whose words files are named
      try FileManager.default.removeItem(at: host.daemon.setup.spool)
      try await until("a problem in the fleet") {
        try await rig.sql("SELECT jsonb_array_length(status -> 'problems') > 0 FROM waybill.host") == "t\n"
      }
      try await Self.expectNoNames(rig.server, "problems")
      // an agent that has to read everything again, and a daemon that is away
      try await host.killAgent()
      #expect(
        try await rig.server.sql(
          "UPDATE waybill.host SET seen = NULL, generation = 0, applied = 0; DELETE FROM waybill.event"
        ).status == 0)
      try host.startAgent()
      try await until("it to have read all") { try await rig.sql("SELECT seen IS NOT NULL FROM waybill.host") == "t\n" }
      try await host.daemon.kill()
      try await until("the host to be in trouble") {
        try await rig.sql("SELECT trouble IS NOT NULL FROM waybill.host") == "t\n"
      }
      try await Self.expectNoNames(rig.server, "a daemon that is away")
    }
  }

  /// Who has told names and keeps them to itself from now on takes back what it told.
  @Test func withdrawsNamesAlreadySent() async throws {
    try await FleetSchemaTests.withTables { server in
      let mirror = try await FleetSchemaTests.fill(server, name: Self.secret)
      let told = try await server.sql(
        """
        UPDATE waybill.command SET outcome = 'done', words = '\(Self.secret)';
        UPDATE waybill.host SET trouble = '\(Self.secret)', status = '{"problems": [{"what": "\(Self.secret)"}]}';
        UPDATE waybill.event SET doc = doc || '{"reason": "\(Self.secret)", "path": "/srv/\(Self.secret)"}'
        """)
      #expect(told.status == 0, "\(told)")
      try await mirror.close()
      let connection = try PostgreSQLConnection(server.database("one"))
      func open(names: Bool) async throws -> Mirror {
        try await Mirror.open(
          connection, ledger: FleetSchemaTests.ledger, session: "s", name: "one", allow: [], heartbeat: .seconds(1),
          names: names)
      }
      #expect(try await open(names: true).seen != nil)
      #expect(try await Self.dump(server).contains(Self.secret))
      // all jobs are read again; the events that there are stay, without words
      let again = try await open(names: false)
      #expect(again.seen == nil && again.generation == 1)
      let left = try await Self.dump(server).split(separator: "\n").filter { $0.contains(Self.secret) }
      #expect(left.isEmpty, "\(left)")
      #expect(try await server.sql("SELECT count(*) FROM waybill.event").output == "1\n")
      // once
      #expect(try await server.sql("UPDATE waybill.host SET seen = 'x'").status == 0)
      #expect(try await open(names: false).seen == "x")
    }
  }
}
