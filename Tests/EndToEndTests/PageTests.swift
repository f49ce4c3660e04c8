import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill-page`, with a command that keeps what it is given.
@Suite(.slot)
struct PageTests {
  private struct Pager {
    let rig: Rig
    let gather: Int
    var pages: URL { rig.folder.appending(path: "pages") }
    var state: URL { rig.folder.appending(path: "told") }

    /// Starts it. Its command keeps each page as a file, but fails as long as there is a file `broken`.
    func start(
      _ log: String, of waybill: String = Products.command, events: String? = nil
    ) async throws -> ChildProcess {
      for folder in [pages, state] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      let command = """
        test ! -e '\(rig.folder.path)/broken' || exit 3
        name='\(pages.path)'/$(date +%s%N)
        { echo "$WAYBILL_PAGE_COUNT $WAYBILL_PAGE_SUBJECT"; cat; } > "$name.new" && mv "$name.new" "$name"
        """
      return try ChildProcess(
        [try await Products.python.value, Products.source("share/waybill-page")],
        environment: [
          "WAYBILL_PAGE_WAYBILL": waybill, "WAYBILL_SOCKET": rig.setup.socket,
          "WAYBILL_PAGE_COMMAND": command, "WAYBILL_PAGE_GATHER": String(gather), "WAYBILL_PAGE_EVENTS": events,
          "STATE_DIRECTORY": state.path,
        ], folder: rig.folder, log: log)
    }

    func read() throws -> [[String]] {
      try FileManager.default.contentsOfDirectory(atPath: pages.path).filter { !$0.hasSuffix(".new") }.sorted().map {
        try String(contentsOf: pages.appending(path: $0), encoding: .utf8).split(separator: "\n").map(String.init)
      }
    }

    func tell(_ name: String) async throws {
      try rig.drop(name)
      try await until("\(name) to be told") { try read().joined().contains { $0.contains(name) } }
    }

    func told() throws -> Int { try read().reduce(0) { $0 + (Int($1[0].prefix { $0 != " " }) ?? 0) } }
  }

  private static let refused: JSONValue = ["register": ["status": 422, "body": #"{"error":"number is taken"}"#]]

  @Test func firstQuestionAtOnceOthersTogether() async throws {
    try await withRig(faults: Self.refused) { rig in
      let pager = Pager(rig: rig, gather: 10)
      let child = try await pager.start("page")
      defer { child.cut() }
      try await until("it to begin") { FileManager.default.fileExists(atPath: pager.state.path + "/told.json") }
      try await pager.tell("first.pdf")
      let first = try #require(try pager.read().first)
      #expect(first[0].hasPrefix("1 waybill on ") && first[0].contains(": Registration of first.pdf failed: "))
      #expect(first[0].hasSuffix(": HTTP 422: number is taken. Retry?"))

      for number in 1...30 { try rig.drop("\(number).pdf") }
      try rig.drop("line\nbreak \u{1B}[31m.pdf")
      try await until("all to be told") { try pager.told() == 1 + 31 }
      let pages = try pager.read()
      #expect(pages.count < 20, "31 at once are no 31 pages")
      let lines = pages.dropFirst().joined()
      for number in 1...30 {
        #expect(lines.contains { $0.contains("Registration of \(number).pdf failed") }, "\(number)")
      }
      #expect(lines.contains { $0.contains("waybill ask") })
      #expect(!lines.joined().contains("\u{1B}") && !lines.contains { $0.hasPrefix("break") })
      #expect(pages.last?[0].contains(" question") == true)
    }
  }

  @Test func eventsOfOneMomentAreAllTold() async throws {
    try await withRig { rig in
      let log = rig.folder.appending(path: "log")
      let events = ["storage", "backend"].enumerated().map { number, name in
        #"{"at":"2026-11-21T10:00:00.000Z","event":"gate-closed","id":\#(number),"job":null,"message":"\#(name)"}"#
      }
      try "#!/bin/sh\ncat <<'END'\n\(events.joined(separator: "\n"))\nEND\n".write(
        to: log, atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: log.path)
      let pager = Pager(rig: rig, gather: 1)
      let child = try await pager.start("page", of: log.path, events: "gate-closed")
      #expect(try await child.end() == .exit(0))
      #expect(try pager.told() == 2)
    }
  }

  @Test func missedQuestionsAreReportedLater() async throws {
    try await withRig(faults: Self.refused) { rig in
      let pager = Pager(rig: rig, gather: 1)
      let broken = rig.folder.appending(path: "broken")
      let child = try await pager.start("page")
      try Data().write(to: broken)
      try await until("it to begin") { FileManager.default.fileExists(atPath: pager.state.path + "/told.json") }
      try await rig.drop("while broken.pdf", until: "awaiting-confirmation")
      try await until("it to fail") { child.errorText.contains("the command ended with 3") }
      child.cut()
      try await rig.drop("while stopped.pdf", until: "awaiting-confirmation")
      try FileManager.default.removeItem(at: broken)

      let again = try await pager.start("again")
      defer { again.cut() }
      try await until("both to be told") { try pager.told() == 2 }
      let lines = try pager.read().joined()
      for name in ["while broken.pdf", "while stopped.pdf"] {
        #expect(lines.count { $0.contains("Z ") && $0.contains(name) } == 1, "\(name) in \(lines)")
      }
      // A daemon that goes and comes back ends no watch.
      _ = try await rig.daemon.stop()
      try await rig.daemon.start()
      try await pager.tell("after a restart.pdf")
      #expect(try pager.told() == 3)
    }
  }
}
