import ChildProcesses
import CommandParts
import ControlTesting
import Foundation
import Jobs
import Testing

@testable import Messages

/// Times as people see them at a terminal, and as programs do in a pipe.
@Suite(.slot, .bounded) struct TimeDisplayTests {
  @Test(arguments: [
    (3600, 1_795_222_923, "2026-11-21T02:02:03+01:00"), (7200, 1_784_595_723, "2026-07-21T03:02:03+02:00"),
    (-12_600, 1_795_222_923, "2026-11-20T21:32:03-03:30"), (0, 1_795_222_923, "2026-11-21T01:02:03Z"),
    (29_143, -4_000_000_000, "1843-03-31T16:53:20Z"),
  ])
  func timesHaveTheZonesOffset(offset: Int, seconds: Int64, words: String) {
    let shown = TimeDisplay.text(Timestamp(seconds: seconds), ahead: offset)
    #expect(shown == words)
    #expect(Timestamp(rfc3339: shown) == Timestamp(seconds: seconds), "it can be given to --since")
  }

  @Test func messagesShowTimesInZone() {
    let message = Message.isJob(
      job: 3,
      why: .cannotBeSince(job: 3, what: "cancelled", user: "kim", at: "2026-11-21T01:02:03Z", wanted: "released"))
    #expect(
      message.text(in: .english) { $0.replacing("T01", with: "T02") }.hasSuffix(
        "job 3 was cancelled by kim at 2026-11-21T02:02:03Z; it cannot be released"))
  }

  /// A person reads the hour of the clock on the wall; a program gets UTC.
  @Test func timesAreLocalAtTerminal() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      func shown(_ words: String) async throws -> String {
        try await onTerminal(socket, words, environment: ["TZ": "Asia/Tokyo"]).output
      }
      #expect(try await shown("show 1").contains("Admitted      2026-11-21T21:0"))
      #expect(try await shown("show 1").contains("+09:00"))
      #expect(try await !shown("show 1 --json").contains("+09:00"))
      for zone in ["", "Etc/UTC", "No/Where"] {
        let words = try await onTerminal(socket, "show 1", environment: ["TZ": zone]).output
        #expect(words.contains("Admitted      2026-11-21T12:0") && words.contains("Z"), "\(zone): \(words)")
      }
      let piped = try await Command.run(
        [Products.command, "show", "1"], environment: ["WAYBILL_SOCKET": socket, "TZ": "Asia/Tokyo"]
      ).output
      #expect(piped.contains("Admitted      2026-11-21T12:0") && !piped.contains("+09:00"), "\(piped)")
    }
  }
}
