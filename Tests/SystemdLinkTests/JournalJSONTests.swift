import ChildProcesses
import Foundation
import Testing

@testable import SystemdLink

/// Entries as lines of JSON, as `journalctl -o json` writes them.
@Suite struct JournalJSONTests {
  private func read(_ entry: JournalEntry) throws -> [String: Any] {
    let line = JournalJSON.line(entry, identifier: "waybilld")
    #expect(line.last == UInt8(ascii: "\n") && line.count { $0 == UInt8(ascii: "\n") } == 1)
    return try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
  }

  @Test func everyFieldIsWritten() throws {
    var entry = JournalEntry(
      message: "one", priority: .warning, messageID: "000000000000000000000000000000ab", file: "a.swift", line: 7)
    entry.append("WAYBILL_JOB", 42)
    entry.sentAt = 1_700_000_000_123_456
    let read = try read(entry) as? [String: String]
    #expect(
      read == [
        "__REALTIME_TIMESTAMP": "1700000000123456", "SYSLOG_IDENTIFIER": "waybilld", "MESSAGE": "one", "PRIORITY": "4",
        "MESSAGE_ID": "000000000000000000000000000000ab", "CODE_FILE": "a.swift", "CODE_LINE": "7", "WAYBILL_JOB": "42",
      ])
  }

  @Test(arguments: ["", "\"\\/", "a\nb\tc\r\u{0}\u{1F}\u{7F}", "ü€😀\u{2028}", "a=b", "{}"])
  func textRoundTrips(_ text: String) throws {
    #expect(try read(JournalEntry(message: text, priority: .info))["MESSAGE"] as? String == text)
  }

  @Test func nonTextBytesBecomeArray() throws {
    var entry = JournalEntry(message: "one", priority: .info)
    entry.append("WAYBILL_FILE", [0x61, 0xFF, 0x0A])
    #expect(try read(entry)["WAYBILL_FILE"] as? [Int] == [0x61, 0xFF, 0x0A])
  }

  @Test func writesOnlyToStandardError() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/log"
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let writer = try JournalWriter(identifier: "waybilld", standardError: descriptor, format: .json)
    #expect(writer.standardErrorHasEntries)
    writer.send([JournalEntry(message: "one", priority: .info), JournalEntry(message: "two", priority: .err)])
    #expect(await writer.flush(deadline: .now + patience))
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains(#""MESSAGE":"one""#) && lines[1].contains(#""PRIORITY":"3""#))
  }
}
