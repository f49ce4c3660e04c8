import ChildProcesses
import CommandParts
import ControlTesting
import Foundation
import Jobs
import Testing

@testable import Messages

/// Times as people see them at a terminal, and as programs do in a pipe.
@Suite(.slot, .bounded) struct TimeDisplayTests {
  private static func read(_ path: String) -> [UInt8]? {
    (try? Data(contentsOf: URL(filePath: path))).map { Array($0) }
  }

  @Test(arguments: [
    ("Europe/Berlin", 1_795_222_923, "2026-11-21T02:02:03+01:00"),
    (":Europe/Berlin", 1_784_595_723, "2026-07-21T03:02:03+02:00"),
    ("/usr/share/zoneinfo/America/St_Johns", 1_795_222_923, "2026-11-20T21:32:03-03:30"),
    ("Europe/London", 1_795_222_923, "2026-11-21T01:02:03+00:00"), ("", 1_795_222_923, "2026-11-21T01:02:03Z"),
    ("Etc/UTC", 1_795_222_923, "2026-11-21T01:02:03Z"),
    ("No/Where", 1_795_222_923, "2026-11-21T01:02:03Z"),
  ])
  func timesHaveTheZonesOffset(variable: String, seconds: Int64, words: String) {
    let zone = TimeDisplay.rules(of: variable, read: Self.read)
    let shown = TimeDisplay.text(Timestamp(seconds: seconds), in: zone)
    #expect(shown == words)
    #expect(Timestamp(rfc3339: shown) == Timestamp(seconds: seconds), "it can be given to --since")
  }

  @Test func withoutVariableTheSystemsZoneCounts() {
    var asked: [String] = []
    let zone = TimeDisplay.rules(of: nil) { path in
      asked.append(path)
      return Self.read("/usr/share/zoneinfo/Asia/Tokyo")
    }
    #expect(asked == ["/etc/localtime"] && zone.offset(at: 0) == 9 * 3600)
  }

  @Test func messagesShowTimesInZone() {
    let message = Message.isJob(
      job: 3,
      why: .cannotBeSince(job: 3, what: "cancelled", user: "kim", at: "2026-11-21T01:02:03Z", wanted: "released"))
    #expect(
      message.text { $0.replacing("T01", with: "T02") }.hasSuffix(
        "job 3 was cancelled by kim at 2026-11-21T02:02:03Z; it cannot be released"))
  }

  /// A person reads the hour of the clock on the wall; a program, and who asks for it, gets UTC.
  @Test func timesAreLocalAtTerminal() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      func shown(_ words: String) async throws -> String {
        try await onTerminal(socket, words, environment: ["TZ": "Asia/Tokyo"]).output
      }
      #expect(try await shown("show 1").contains("Admitted      2026-11-21T21:0"))
      #expect(try await shown("show 1").contains("+09:00"))
      #expect(try await !shown("show 1 --utc").contains("+09:00"))
      #expect(try await !shown("show 1 --json").contains("+09:00"))
      let piped = try await Command.run(
        [Products.command, "show", "1"], environment: ["WAYBILL_SOCKET": socket, "TZ": "Asia/Tokyo"]
      ).output
      #expect(piped.contains("Admitted      2026-11-21T12:0") && !piped.contains("+09:00"), "\(piped)")
    }
  }
}
