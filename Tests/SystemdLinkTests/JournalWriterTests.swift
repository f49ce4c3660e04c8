import ChildProcesses
import Foundation
import Glibc
import SystemdLink
import Testing

/// Entries read back by field from a real journald.
@Suite(.slot) struct JournalWriterTests {
  @Test(.needs(.journald)) func fieldsArriveInJournalAlone() async throws {
    try await withJournal { journal in
      let outcome = try await journal.run([Products.systemdLinkProbe, "fields", "kinds"])
      #expect(outcome.status == 0 && outcome.output.contains("flushed") && outcome.errors.isEmpty)
      let found = try await journal.entries("PROBE_TAG=kinds", "MESSAGE_ID=0123456789abcdef0123456789abcdef")
      let entry = try #require(found.first)
      #expect(found.count == 1)
      #expect(entry["PRIORITY"] as? String == "4")
      #expect(entry["SYSLOG_IDENTIFIER"] as? String == "probe")
      #expect(entry["PROBE_TEXT"] as? String == "naïve \"quoted\" \u{202e}text")
      #expect(entry["PROBE_NUMBER"] as? String == "-42")
      #expect(entry["PROBE_EMPTY"] as? String == "")
      #expect(entry["CODE_FILE"] as? String == "systemd_link_probe/Probe.swift")
      #expect(Int(try #require(entry["CODE_LINE"] as? String)) != nil)
      // journalctl shows what is not UTF-8, or holds control bytes, as an array of bytes.
      #expect(entry["PROBE_BYTES"] as? [Int] == [0, 10, 0xFF, 0xFE])
      #expect(entry["MESSAGE"] as? [Int] == "with\nall\u{1b}[31m kinds".utf8.map { Int($0) })
      let long = try #require(entry["PROBE_LONG"] as? String)
      #expect(long.hasSuffix("é…"))
      #expect(long.utf8.count <= JournalEntry.valueLimit && long.utf8.count > JournalEntry.valueLimit - 4)
      let levels = try await journal.entries("PROBE_TAG=kinds").prefix(8)
      #expect(levels.compactMap { $0["MESSAGE"] as? String } == JournalEntry.Priority.allCases.map { "priority \($0)" })
      #expect(levels.compactMap { $0["PRIORITY"] as? String } == (0..<8).map { "\($0)" })
    }
  }

  @Test(.needs(.journald)) func stuckJournalLosesNoEntries() async throws {
    try await withJournal { journal in
      let pid = try journal.pid
      kill(pid, SIGSTOP)
      defer { kill(pid, SIGCONT) }
      let probe = try ChildProcess(journal.prefix + [Products.systemdLinkProbe, "many", "stuck", "2000"])
      // All calls of send have returned although journald reads nothing.
      try await probe.prints("sent")
      #expect(!probe.outputText.contains("flushed"))
      kill(pid, SIGCONT)
      #expect(try await probe.result().status == 0)
      let found = try await journal.entries("PROBE_TAG=stuck")
      #expect(found.compactMap { ($0["PROBE_INDEX"] as? String).flatMap { Int($0) } } == Array(0..<2000))
    }
  }

  @Test(.needs(.privateMount)) func writesSafeLinesWithoutJournal() async throws {
    // Where /run is empty, so that this holds on a machine with a journal too.
    let rights = geteuid() == 0 ? [] : ["--user", "--map-root-user"]
    let script = "mount -t tmpfs none /run && exec \"$0\" \"$@\""
    let outcome = try await Command.run(
      ["unshare"] + rights + ["--mount", "sh", "-c", script, Products.systemdLinkProbe, "fields", "text"],
      environment: ["JOURNAL_STREAM": ""])
    #expect(outcome.status == 0)
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 9)
    let first = try #require(lines.first)
    #expect(first.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z emerg: priority emerg PROBE_TAG=text$/))
    let last = try #require(lines.last)
    #expect(last.contains(#" warning: with\nall\x1b[31m kinds PROBE_TAG=text PROBE_BYTES="\x00\n\xff\xfe" "#))
    #expect(last.contains(#" PROBE_TEXT="naïve \"quoted\" \u{202e}text" PROBE_NUMBER=-42 PROBE_EMPTY="" "#))
    #expect(!last.contains("MESSAGE_ID") && !last.contains("CODE_") && !last.contains("\u{1b}"))
  }
}
