import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `archive_keep`: the archive is emptied of what Waybill moved there, and of nothing else.
@Suite(.slot)
struct ArchiveKeepTests {
  private func withArchive(
    _ environment: [String: String] = [:], keep: String = "90d", _ body: (Rig, URL) async throws -> Void
  ) async throws {
    try await withRig(
      environment: environment,
      {
        let archive = $0.folder.appending(path: "archive")
        try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
        $0.spoolLines = ["after = \"archive\"", "archive = \"\(archive.path)\"", "archive_keep = \"\(keep)\""]
      }
    ) { rig in try await body(rig, rig.folder.appending(path: "archive")) }
  }

  private func names(_ archive: URL) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: archive.path)).subtracting([".waybill-archived"])
  }

  /// The day's list and the note are made older, as if so many days had passed.
  private func age(_ archive: URL, days: Int) throws {
    let lists = archive.appending(path: ".waybill-archived")
    let format = DateFormatter()
    (format.dateFormat, format.timeZone) = ("yyyy-MM-dd", TimeZone(identifier: "UTC"))
    let all = try FileManager.default.contentsOfDirectory(atPath: lists.path)
    let today = try #require(all.first { $0.hasPrefix("20") })
    let old = format.string(from: Date(timeIntervalSinceNow: TimeInterval(-days * 86_400)))
    try FileManager.default.moveItem(at: lists.appending(path: today), to: lists.appending(path: old))
    try note(in: lists)
  }

  /// The note is that of a look two hours ago that nothing held up.
  private func note(in lists: URL) throws {
    let note = "\(Int64((Date().timeIntervalSince1970 - 7200) * 1_000_000)) 0\n"
    try note.write(to: lists.appending(path: "clock"), atomically: false, encoding: .utf8)
  }

  @Test func expiredArchiveFilesAreRemoved() async throws {
    try await withArchive { rig, archive in
      for name in ["a.pdf", "b.pdf", "changed.pdf"] { try await rig.drop(name, until: "registered") }
      try await until("all to be archived") { try names(archive) == ["a.pdf", "b.pdf", "changed.pdf"] }
      try Data("theirs".utf8).write(to: archive.appending(path: "theirs.pdf"))
      try Data("changed".utf8).write(to: archive.appending(path: "changed.pdf"))
      #expect(try await rig.daemon.stop() == .exit(0))
      try age(archive, days: 92)
      try await rig.daemon.start()
      try await until("the two to be gone") { try names(archive) == ["changed.pdf", "theirs.pdf"] }
      try await until("the journal to tell") {
        let told = try rig.daemon.errorText
        return told.contains("removed 2 files archived on") && told.contains("; 1 that somebody has changed")
      }
    }
  }

  /// The clock is three days behind while a file is archived, and is right again before the next look at the archive.
  @Test func wrongClockBetweenLooksEmptiesNoArchive() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let clock = try await WallClock(in: folder.url)
    try await withArchive(clock.variables, keep: "1d") { rig, archive in
      #expect(try await rig.daemon.stop() == .exit(0))
      let lists = archive.appending(path: ".waybill-archived")
      try FileManager.default.createDirectory(at: lists, withIntermediateDirectories: true)
      try note(in: lists)
      try await rig.daemon.start()
      try clock.set(hours: -72)
      try await rig.drop("a.pdf", until: "registered")
      try await until("it to be archived") { try names(archive) == ["a.pdf"] }
      try clock.set(hours: 0)
      #expect(try await rig.daemon.waybill("reload").status == 0)
      try await until("the journal to tell") {
        try rig.daemon.told("archive of spool documents: nothing is removed for") == 1
      }
      #expect(try names(archive) == ["a.pdf"])
    }
  }

  /// The clock is a year ahead: nothing leaves, and the journal says so.
  @Test func clockJumpEmptiesNoArchive() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let clock = try await WallClock(in: folder.url)
    try await withArchive(clock.variables) { rig, archive in
      try await rig.drop("a.pdf", until: "registered")
      try await until("it to be archived") { try names(archive) == ["a.pdf"] }
      #expect(try await rig.daemon.stop() == .exit(0))
      try age(archive, days: 60)
      try await rig.daemon.start()
      try clock.set(hours: 8766)
      #expect(try await rig.daemon.waybill("reload").status == 0)
      try await until("the journal to tell") {
        try rig.daemon.told("archive of spool documents: nothing is removed for 1d: the clock was set forward by") == 1
      }
      // Also for the one that starts with the wrong clock.
      #expect(try await rig.daemon.stop() == .exit(0))
      try await rig.daemon.start()
      #expect(try await rig.daemon.waybill("reload").status == 0)
      let note = try String(contentsOf: archive.appending(path: ".waybill-archived/clock"), encoding: .utf8)
      let hold = try #require(note.split(separator: " ").last.flatMap { Int64($0.trimmingCharacters(in: .newlines)) })
      #expect(hold > 23 * 3_600_000_000)
      #expect(try names(archive).contains("a.pdf"))
    }
  }
}
