import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill log --follow` at a real terminal, with the real daemon.
@Suite(.slot)
struct FollowTerminalTests {
  @Test(.needs(.tmux)) func largeUploadProgressStaysBelowEvents() async throws {
    try await withRig({ $0.daemonLines.append("bandwidth = \"256KiB\"") }) { rig in
      try await rig.withTerminal { screen in
        try await screen.run("$waybill log --follow")
        try await screen.shows("idle")
        try rig.drop("drawings.zip", Data(repeating: 2, count: 64 << 20))
        try await screen.shows("1 drawings.zip: ")
        try await screen.shows("uploading 1, registering 0")
        // It goes on, in its place.
        try await until("it to come on") {
          try await screen.lines().contains { $0.contains("drawings.zip: ") && !$0.contains(": 0 %") }
        }
        for number in 1...3 { try await rig.drop("\(number).pdf", until: "registered") }
        try await screen.shows("3.pdf uploaded and registered")
        let lines = try await until("the last line to count the large one alone again") {
          let lines = try await screen.lines()
          return lines.last?.contains("uploading 1, registering 0") == true ? lines : nil
        }
        #expect(lines.count { $0.contains("drawings.zip: ") } == 1, "\(lines)")
        #expect(lines.count { $0.contains("uploading ") } == 1)
        let event = try #require(lines.lastIndex { $0.contains("3.pdf uploaded and registered") })
        #expect(event < lines.count - 2, "the events are above what stays")

        #expect(try await rig.daemon.waybill("cancel", "1").status == 0)
        try await screen.shows("Upload of drawings.zip cancelled by")
        try await until("the progress to go") { try await !screen.lines().contains { $0.contains("drawings.zip: ") } }
        _ = try await rig.daemon.stop()
        try await screen.shows("the daemon has gone")
        try await rig.daemon.start()
        try await rig.drop("after.pdf", until: "registered")
        try await screen.shows("after.pdf uploaded and registered")
        try await screen.shows("idle")
        try await screen.press("C-c")
        try await screen.shows("ended with 0")
        let settings = try screen.settings()
        #expect(settings.before == settings.after)
        // What comes after it is not shown in the colours of the last event.
        try await screen.run("echo plain")
        try await screen.shows("plain")
        #expect(try await screen.styledLines().contains("plain"))
      }
    }
  }
}
