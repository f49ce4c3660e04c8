import CommandParts
import ControlAPI
import Jobs
import Testing

@testable import waybill

@Suite struct StatusReportTests {
  private static func words(_ spool: SpoolMessage, untaken: Int = 0) -> String {
    var status = StatusMessage(
      version: "1", uptime: 1, activity: .init(upload: 0, register: 0), counts: [:], gates: [],
      spools: [spool])
    status.untaken = [spool.name: untaken]
    let terminal = Terminal(isTerminal: false, columns: nil, environment: [:])
    let report = StatusReport(status, now: Timestamp(year: 2026, month: 11, day: 21, hour: 12), terminal: terminal)
    return report.lines.joined(separator: "\n")
  }

  private static func spool(
    watch: String = "inotify", readiness: [String] = ["renamed", "closed", "still"], leases: String = "all",
    waiting: [String: Int] = [:]
  ) -> SpoolMessage {
    SpoolMessage(
      name: "scans", path: "/scans", watch: watch, readiness: readiness, leases: leases, uncertain: 0, waiting: waiting,
      lastScan: nil, oldestWaiting: nil)
  }

  /// Without events, nothing tells that a file may be open, so it never waits for that.
  @Test(arguments: ["own", "none"]) func namesTheTimeThatFilesWaitFor(leases: String) {
    for watch in ["inotify", "poll"] {  // It is polled too if not all of its directories can be watched.
      let heard = Self.words(Self.spool(watch: watch, leases: leases))
      #expect(heard.contains("a file that may be open must be unchanged for 5 minutes"), "\(heard)")
    }
    let polled = Self.words(Self.spool(watch: "poll", readiness: ["still"], leases: leases))
    #expect(polled.contains("a file is taken when it has been unchanged for settle_unseen"), "\(polled)")
    #expect(!polled.contains("5 minutes"), "\(polled)")
    #expect(!Self.words(Self.spool(watch: "poll", readiness: ["lease", "still"])).contains("settle_"))
  }

  /// A sidecar without its document, and a group without its marker, may wait for ever.
  @Test(arguments: [
    ("ready", "1 file is in the spools and will be taken."), ("settling", "1 file is"),
    ("awaiting-sidecar", "1 file is"),
    ("awaiting-document", nil), ("incomplete", nil),
  ]) func saysWhichFilesWillBeTaken(_ reason: String, _ words: String?) {
    let alone = Self.words(Self.spool(waiting: [reason: 1]), untaken: 1)
    #expect(alone.hasPrefix("Nothing waits for you." + (words.map { " " + $0 } ?? "\n")), "\(alone)")
    let others = Self.words(Self.spool(waiting: [reason: 1, "open": 2]), untaken: 3)
    #expect(others.contains(words == nil ? " 2 files are in" : " 3 files are in"), "\(others)")
  }

  @Test func countsFilesThatStayBecauseTheyWereSent() {
    let both = Self.words(Self.spool(waiting: ["ready": 1, "ignored": 2, "kept": 30]))
    #expect(both.contains("(1 ready), left alone: 2 by name, 30 kept"), "\(both)")
    #expect(Self.words(Self.spool(waiting: ["kept": 1])).contains(", left alone: 1 kept"))
    #expect(!Self.words(Self.spool()).contains("left alone"))
  }
}
