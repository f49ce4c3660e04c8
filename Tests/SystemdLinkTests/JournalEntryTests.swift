import ChildProcesses
import Glibc
import Testing

@testable import SystemdLink

@Suite struct JournalEntryTests {
  private func fields(_ entry: JournalEntry) -> [[UInt8]] {
    var start = 0
    return entry.ends.map { end in
      defer { start = Int(end) }
      return Array(entry.bytes[start..<Int(end)])
    }
  }

  @Test(arguments: ["WAYBILL_JOB", "A", "X9_", String(repeating: "A", count: 64)])
  func acceptsValidFieldName(_ name: String) { #expect(JournalFieldName.isValid(name)) }

  @Test(arguments: ["", "_PID", "9A", "lower", "A-B", "A=B", "Ä", String(repeating: "A", count: 65)])
  func refusesInvalidFieldName(_ name: String) { #expect(!JournalFieldName.isValid(name)) }

  @Test(arguments: ["é", "€", "😀"], 0..<4)
  func cutsTextBetweenCharacters(_ character: String, shift: Int) throws {
    let text = String(repeating: "x", count: shift) + String(repeating: character, count: 20_000)
    var entry = JournalEntry(message: "m", priority: .info, file: nil, line: nil)
    entry.append("TEXT", text)
    let value = try #require(fields(entry).last).dropFirst(5)
    #expect(value.count <= JournalEntry.valueLimit)
    #expect(value.count > JournalEntry.valueLimit - 4)
    let cut = try #require(String(validating: value, as: UTF8.self))
    #expect(text.hasPrefix(cut.dropLast()) && cut.last == "…")
  }

  @Test func keepsValueAtLimit() throws {
    let value = [UInt8](repeating: 0x80, count: JournalEntry.valueLimit)
    var entry = JournalEntry(message: "m", priority: .info)
    entry.append("BYTES", value)
    #expect(fields(entry).last == Array("BYTES=".utf8) + value)
    entry.append("BYTES", value + [0x80])
    #expect(try #require(fields(entry).last).count <= 6 + JournalEntry.valueLimit)
  }

  @Test func everyLineHasExactlyOneOutput() {
    for (listens, terminal, stream, native, text) in [
      (true, false, false, true, nil), (true, true, false, true, .people), (true, false, true, true, nil),
      (false, false, false, false, .people), (false, true, false, false, .people), (false, false, true, false, .stream),
    ] as [(Bool, Bool, Bool, Bool, JournalOutput.TextForm?)] {
      let output = JournalOutput(journalListens: listens, terminal: terminal, journalStream: stream)
      #expect(output.native == native && output.text == text)
    }
  }

  @Test func recognizesJournalByDeviceAndInode() throws {
    let directory = try TemporaryFolder()
    let socket = try UnixSocket.listen(path: directory.file("s"))
    defer { close(socket) }
    var facts = stat()
    #expect(unsafe fstat(socket.descriptor, &facts) == 0)
    #expect(JournalOutput.leads(socket.descriptor, to: "\(facts.st_dev):\(facts.st_ino)"))
    #expect(!JournalOutput.leads(socket.descriptor, to: "\(facts.st_dev):\(facts.st_ino + 1)"))
    #expect(!JournalOutput.leads(socket.descriptor, to: nil))
  }
}
