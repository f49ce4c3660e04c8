import ChildProcesses
import Foundation
import Jobs
import LinuxFiles
import Testing

@testable import Spool

/// What leaves an archive after its time, and what stays: real files, touched in each way that people and programs have.
@Suite(.slot, .bounded) struct ArchiveExpiryTests {
  let place: Place
  let memory: MemoryFolder
  let now = Timestamp(year: 2026, month: 11, day: 24, hour: 12)

  init() throws {
    place = try Place()
    memory = try MemoryFolder()
    try FileManager.default.createDirectory(atPath: place.root + "/archive", withIntermediateDirectories: false)
  }

  private func path(_ where: ArchivePlace) -> String { `where` == .beside ? place.root + "/archive" : memory.path }

  /// Archives files as the daemon does, on a day.
  private func archive(_ names: [String], at time: Timestamp, _ where: ArchivePlace) throws -> Archive {
    let spool = try SpoolDirectory(place.options(), wallClock: { time })
    let archive = try Archive(path: path(`where`), of: spool.options, isListed: true)
    for (index, name) in names.enumerated() {
      let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: UInt64(index))
      let last = name.split(separator: "/").last.map(String.init) ?? ""
      try place.prepare(Array(last.utf8), "content of \(name)")
      let claimed = spool.path(id, FileName(name)).text
      try FileManager.default.createDirectory(
        atPath: String(claimed[..<(claimed.lastIndex(of: "/") ?? claimed.endIndex)]), withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: place.root + "/outside/" + last, toPath: claimed)
      let identity = try spool.identity(id, FileName(name))
      let disposal = try spool.archive(
        id, FileName(name), expecting: identity, claimedAt: .longAgo, job: JobNumber(rawValue: 42), in: archive)
      #expect(disposal == .removed)
    }
    return archive
  }

  /// Removes what is due, and returns the numbers of the files that were removed and that stay.
  private func expire(_ archive: Archive, keep: Duration, at time: Timestamp) throws -> (
    removed: Int, kept: Int, days: Int
  ) {
    let index = try #require(archive.index)
    var result = (removed: 0, kept: 0, days: 0)
    while let day = try index.oldestDay(before: time + (.zero - keep)) {
      var expiry = try ArchiveExpiry(of: day, in: index)
      while try !expiry.goOn(upTo: 2) {}
      result = (result.removed + expiry.removed, result.kept + expiry.kept, result.days + 1)
    }
    return result
  }

  private func left(_ where: ArchivePlace) throws -> Set<String> {
    let all = try FileManager.default.subpathsOfDirectory(atPath: path(`where`))
    return Set(all.filter { !$0.hasPrefix(".waybill-archived") })
  }

  private static let days90 = Duration.seconds(90 * 86_400)

  @Test(arguments: ArchivePlace.allCases)
  func whatIsOldEnoughLeavesAndNothingElse(where: ArchivePlace) throws {
    let names = ["a.pdf", "Größe 1%.pdf", "in/deep/b.pdf", "new\nline"]
    let archive = try archive(names, at: now, `where`)
    try "theirs".write(toFile: path(`where`) + "/theirs.pdf", atomically: false, encoding: .utf8)
    _ = try self.archive(["young.pdf"], at: now + .seconds(86_400), `where`)
    let due = now + Self.days90
    #expect(try expire(archive, keep: Self.days90, at: due) == (0, 0, 0), "its day is not over for long enough")
    #expect(try expire(archive, keep: Self.days90, at: due + .seconds(43_200)) == (4, 0, 1))
    #expect(try left(`where`) == ["theirs.pdf", "young.pdf"])
    #expect(try expire(archive, keep: Self.days90, at: due + .seconds(86_400 * 2)) == (1, 0, 1))
    #expect(try left(`where`) == ["theirs.pdf"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: path(`where`) + "/.waybill-archived") == [])
  }

  /// Each way in which a file stops being the one that was archived. All of them stay.
  static let touches: [(name: String, script: String, isThere: Bool)] = [
    ("appended to", "echo more >> f", true),
    (
      "written over, with size and time set back",
      "cp -p f ../t; printf 'CONTENT' | dd of=f conv=notrunc 2>/dev/null; touch -r ../t f", true
    ),
    ("touched", "touch f", true),
    ("linked", "ln f ../link", true),
    ("linked, and the link removed again", "ln f ../link; rm ../link", true),
    ("made readable", "chmod o+r f", true),
    ("renamed", "mv f g", true),
    ("renamed there and back", "mv f g; mv g f", true),
    ("replaced", "cp f ../copy; mv ../copy f", true),
    ("replaced by a copy with its times", "cp -p f ../copy; mv ../copy f", true),
    ("replaced by a link", "mv f ../real; ln -s ../real f", true),
    ("replaced by a directory", "rm f; mkdir f", true),
    ("marked", "python3 -c 'import os; os.setxattr(\"f\", \"user.note\", b\"x\")'", true),
    ("removed", "rm f", false),
    ("read", "cat f > /dev/null", false),
  ]

  @Test(arguments: touches.indices)
  func whatSomebodyTouchedStays(index: Int) async throws {
    let (name, script, isThere) = Self.touches[index]
    let archive = try archive(["f", "other"], at: now, .beside)
    try await Command.require(["sh", "-ec", "cd \"$1\"; \(script)", "_", path(.beside)])
    let before = try left(.beside).subtracting(["other"])
    _ = try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3))
    #expect(try left(.beside) == (isThere ? before : []), "\(name)")
  }

  @Test func aFileThatIsOpenForWritingStays() throws {
    let archive = try archive(["f"], at: now, .beside)
    let handle = try FileHandle(forWritingTo: URL(filePath: path(.beside) + "/f"))
    #expect(try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3)) == (0, 1, 1))
    try handle.close()
    #expect(try left(.beside) == ["f"])
  }

  /// A crash between the two halves of a removal: the next pass finishes it, and takes no other file for it.
  @Test(arguments: [true, false]) func aRemovalThatWasCutIsFinished(isOurs: Bool) throws {
    let archive = try archive(["f", "g"], at: now, .beside)
    let folder = path(.beside) + "/.waybill-archived"
    let inode = try Directory(path: path(.beside)).facts(of: Array("f".utf8)).inode
    if isOurs {
      try FileManager.default.moveItem(atPath: path(.beside) + "/f", toPath: folder + "/leaving-\(inode)")
    } else {
      try FileManager.default.removeItem(atPath: path(.beside) + "/f")
      try "x".write(toFile: folder + "/leaving-\(inode)", atomically: false, encoding: .utf8)
    }
    let result = try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3))
    #expect(result == (isOurs ? 2 : 1, 0, 1))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == (isOurs ? 0 : 1))
  }

  /// Lines that were cut or forged lead nowhere.
  @Test func aDamagedListLeadsNowhere() throws {
    let archive = try archive(["f"], at: now, .beside)
    let list = path(.beside) + "/.waybill-archived/2026-11-24"
    let line = try String(contentsOfFile: list, encoding: .utf8)
    let facts = try Directory(path: place.root).facts(of: Array("outside".utf8))
    try "secret".write(toFile: place.root + "/secret", atomically: false, encoding: .utf8)
    let secret = try Directory(path: place.root).facts(of: Array("secret".utf8))
    let entry = "\(secret.inode) \(secret.size) \(secret.modified) \(secret.changed)"
    let forged = [
      "\(entry) ../secret .", "\(entry) /../secret .", "\(entry) ./../secret .", "\(entry) %2E%2E/secret .",
      "\(entry) .waybill-archived/2026-11-24 .", "\(facts.inode)", "", "\u{0}", "\(entry) f", "x y z w v .",
      String(line.trimmingCharacters(in: .newlines).dropLast(5)),
    ]
    try (forged.joined(separator: "\n") + "\n").write(toFile: list, atomically: false, encoding: .utf8)
    #expect(try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3)) == (0, 0, 1))
    #expect(try left(.beside) == ["f"])
    #expect(FileManager.default.fileExists(atPath: place.root + "/secret"))
  }

  /// Half a line of a crash costs no other entry.
  @Test func halfALineCostsNoOther() throws {
    _ = try archive(["a"], at: now, .beside)
    let list = path(.beside) + "/.waybill-archived/2026-11-24"
    let handle = try FileHandle(forWritingTo: URL(filePath: list))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("\n12345 17 1".utf8))
    try handle.close()
    let archive = try archive(["b"], at: now, .beside)
    #expect(try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3)) == (2, 0, 1))
  }

  /// Lists that others could write are not used, and the daemon does not start with them.
  @Test func listsThatOthersCouldWriteAreRefused() throws {
    let spool = try SpoolDirectory(place.options())
    try FileManager.default.createDirectory(
      atPath: path(.beside) + "/.waybill-archived", withIntermediateDirectories: false)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: path(.beside) + "/.waybill-archived")
    let problem = #expect(throws: SpoolProblem.self) {
      try Archive(path: path(.beside), of: spool.options, isListed: true)
    }
    #expect(problem?.reason.contains(".waybill-archived") == true)
    _ = try Archive(path: path(.beside), of: spool.options)
  }

  /// Directories that the daemon made go with their last file; one with anything else in it stays.
  @Test func emptiedDirectoriesGo() throws {
    let archive = try archive(["2026/11/a", "2026/10/b", "2025/c"], at: now, .beside)
    try "x".write(toFile: path(.beside) + "/2026/10/theirs", atomically: false, encoding: .utf8)
    #expect(try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3)).removed == 3)
    #expect(try left(.beside) == ["2026", "2026/10", "2026/10/theirs"])
  }

  @Test func withoutAKeepThereAreNoLists() throws {
    let spool = try SpoolDirectory(place.options())
    let archive = try Archive(path: path(.beside), of: spool.options)
    #expect(archive.index == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path(.beside)) == [])
    let trial = SpoolTrial(place.options(), archive: path(.beside), isArchiveListed: true)
    #expect(trial.faults.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path(.beside)) == [], "a trial leaves nothing")
  }
}
