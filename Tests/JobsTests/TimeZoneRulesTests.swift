import ChildProcesses
import Foundation
import Jobs
import Testing

/// Time zones against Python's reader of the same database, over every zone of the system.
@Suite(.aside) struct TimeZoneRulesTests {
  static let database = "/usr/share/zoneinfo/"
  static let program = Products.support("time-zones.py")

  static func rules(_ name: String) throws -> TimeZoneRules {
    try TimeZoneRules(name: name, tzif: Array(try Data(contentsOf: URL(filePath: database + name))))
  }

  private struct Row {
    let zone: String
    let moment: Int64
    let offset: Int
  }

  private func rows(_ output: String) throws -> [Row] {
    try output.split(separator: "\n").map { line in
      let parts = line.split(separator: " ")
      return Row(
        zone: String(parts[0]), moment: try #require(Int64(parts[1])), offset: try #require(Int(parts[2])))
    }
  }

  @Test func everyZoneMatchesPythonOffsets() async throws {
    let rows = try rows(try await Command.require(["python3", Self.program, "offsets"]))
    var zones: [String: TimeZoneRules] = [:]
    var wrong: [String] = []
    for row in rows {
      let zone = try zones[row.zone] ?? Self.rules(row.zone)
      zones[row.zone] = zone
      let found = zone.offset(at: row.moment)
      if found != row.offset { wrong.append("\(row.zone) \(row.moment): \(found) for \(row.offset)") }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(10))")
    #expect(zones.count > 400)
  }

  /// Each change up to 2045 is where Python has it, in the table and by the rule behind it, and there is no other.
  @Test func everyTransitionMatchesPython() async throws {
    let names = [
      "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo", "Asia/Kathmandu",
      "Asia/Tehran", "Africa/Casablanca", "Africa/Cairo", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham",
      "America/Nuuk", "Asia/Gaza", "Etc/GMT+5", "UTC",
    ]
    var lines: [String] = []
    var expected: [Row] = []
    for name in names {
      let zone = try Self.rules(name)
      var moment = Int64(1_577_836_800)
      while let next = zone.nextTransition(after: moment), next < 2_366_841_600 {
        // Between two changes it is the same at all times.
        for between in [moment, moment + (next - moment) / 2, next - 1] {
          expected.append(Row(zone: name, moment: between, offset: zone.offset(at: moment)))
        }
        expected.append(Row(zone: name, moment: next, offset: zone.offset(at: next)))
        moment = next
      }
    }
    lines = expected.map { "\($0.zone) \($0.moment)" }
    let command = try await Command.run(
      ["python3", Self.program, "at"], input: Data((lines.joined(separator: "\n") + "\n").utf8))
    let found = try rows(command.output)
    #expect(found.map(\.offset) == expected.map(\.offset), "\(command.errors)")
    #expect(expected.count > 1000)
  }

  @Test func datesFollowLocalClock() throws {
    let berlin = try Self.rules("Europe/Berlin")
    let late = Timestamp(year: 2026, month: 12, day: 31, hour: 23, minute: 30)
    #expect(late.parts(in: berlin).year == 2027 && late.parts(in: .utc).year == 2026)
    let gap = Timestamp(year: 2026, month: 3, day: 29, hour: 1)
    #expect(gap.parts(in: berlin).hour == 3)
    #expect(Timestamp(microseconds: gap.microseconds - 1).parts(in: berlin).hour == 1)
    #expect(Timestamp(year: 2026, month: 11, day: 23).secondOfWeek(in: .utc) == 0)
    #expect(Timestamp(seconds: -1).secondOfWeek(in: .utc) == 3 * 86_400 - 1)
  }

  /// Bytes that are no zone are refused, and cost no more than their length: cut at each place, and with each byte changed.
  @Test func refusesInvalidZoneData() throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: Self.database + "Europe/Berlin")))
    for length in 0..<bytes.count {
      #expect(throws: TimeZoneRules.Fault.self) { try TimeZoneRules(name: "x", tzif: Array(bytes[..<length])) }
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0xFF
      _ = try? TimeZoneRules(name: "x", tzif: changed).offset(at: 1_800_000_000)
    }
    #expect(throws: TimeZoneRules.Fault.notTZif) { try TimeZoneRules(name: "x", tzif: []) }
  }
}
