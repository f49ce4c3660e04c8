import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Those who are not who they say, and a database that is not the one that is meant.
@Suite(.slot, .needs(.postgreSQL))
struct FleetStrangerTests {
  @Test func refusesForeignCertificatesAndServers() async throws {
    try await withTLSDatabase { database in
      func check(_ string: String) async throws -> Command {
        try await Command.run([Products.fleet, "check", "--database", string])
      }
      let good = try await check(database.string("one"))
      #expect(good.status == 0 && good.output.contains("role one is a host"), "\(good)")
      let strangers: [(string: String, words: String)] = [
        (database.string("one", certificate: "two"), "certificate authentication failed for user \"one\""),
        (database.string("postgres", certificate: "one"), "certificate authentication failed for user \"postgres\""),
        (database.string("one", certificate: "stranger"), "tlsv1 alert unknown ca"),
        (database.string("one", certificate: "expired"), "certificate expired"),
        (database.string("one", certificate: nil), "connection requires a valid client certificate"),
        (database.string("one", mode: "disable"), "no encryption"),
        // the server is another one than that which is meant
        (database.string("one", authority: "elsewhere"), "certificate verify failed"),
        (database.string("one", host: "localhost"), "does not match host name \"localhost\""),
      ]
      for stranger in strangers {
        let answer = try await check(stranger.string)
        #expect(answer.status == 69, "\(stranger.string): \(answer)")
        #expect(answer.errors.contains(stranger.words), "\(stranger.string): \(answer)")
      }
      #expect(try await database.server.output(of: "SELECT count(*) FROM waybill.host") == "0\n")
      _ = try await database.server.output(of: "GRANT waybill_viewer TO two")
      #expect(try await check(database.string("two")).output.contains("role two is a host and a viewer"))
    }
  }
}
