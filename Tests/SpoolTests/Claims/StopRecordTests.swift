import Foundation
import Jobs
import Messages
import Testing

@testable import Spool

/// The record of a stopped job beside its file, which another host may have written.
@Suite struct StopRecordTests {
  @Test func keepsCodeOfReason() throws {
    let failure = Failure(.configuration, .notConfigured(name: "storage.main"), status: 503, code: "SlowDown")
    let stop = Inheritance.Stop(.aborted, failure: failure)
    let record = try JSONDecoder().decode(StopRecord.self, from: JSONEncoder().encode(StopRecord(stop)))
    #expect(record.stop == stop)
    #expect(record.stop.failure?.message.code == "not-configured")
  }

  /// A newer version knows more codes, and more kinds of values.
  @Test func unknownCodeLeavesItsWords() throws {
    let reason = #"{"text":"the moon is full","code":"of-tomorrow","arguments":{"moons":{"count":3}}}"#
    let written = try JSONSerialization.data(withJSONObject: [
      "state": "aborted", "remove": false, "failure": ["kind": "unavailable", "reason": reason],
    ])
    let stop = try JSONDecoder().decode(StopRecord.self, from: written).stop
    #expect(stop.failure?.words == "the moon is full")
  }
}
