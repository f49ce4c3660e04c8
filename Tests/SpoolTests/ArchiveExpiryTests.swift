import ChildProcesses
import Foundation
import Jobs
import Linux
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
      let disposal = try spool.dispose(
        id, FileName(name), expecting: identity, claimedAt: .longAgo, job: JobNumber(rawValue: 42), archive: archive)
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
  func removesOnlyExpiredFiles(where: ArchivePlace) throws {
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
  func keepsTouchedFiles(index: Int) async throws {
    let (name, script, isThere) = Self.touches[index]
    let archive = try archive(["f", "other"], at: now, .beside)
    try await Command.require(["sh", "-ec", "cd \"$1\"; \(script)", "_", path(.beside)])
    let before = try left(.beside).subtracting(["other"])
    _ = try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3))
    #expect(try left(.beside) == (isThere ? before : []), "\(name)")
  }

  @Test func keepsFileOpenForWriting() throws {
    let archive = try archive(["f"], at: now, .beside)
    let handle = try FileHandle(forWritingTo: URL(filePath: path(.beside) + "/f"))
    #expect(try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3)) == (0, 1, 1))
    try handle.close()
    #expect(try left(.beside) == ["f"])
  }

  /// A crash between the two halves of a removal: the next pass finishes it, and takes no other file for it.
  @Test(arguments: [true, false]) func finishesInterruptedRemoval(isOurs: Bool) throws {
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
  @Test func damagedListRemovesNothing() throws {
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
  @Test func partialLineKeepsOtherEntries() throws {
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
  @Test func refusesListsWritableByOthers() throws {
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
  @Test func removesEmptiedDirectories() throws {
    let archive = try archive(["2026/11/a", "2026/10/b", "2025/c"], at: now, .beside)
    try "x".write(toFile: path(.beside) + "/2026/10/theirs", atomically: false, encoding: .utf8)
    #expect(try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3)).removed == 3)
    #expect(try left(.beside) == ["2026", "2026/10", "2026/10/theirs"])
  }

  @Test func makesNoListsWithoutKeep() throws {
    let spool = try SpoolDirectory(place.options())
    let archive = try Archive(path: path(.beside), of: spool.options)
    #expect(archive.index == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path(.beside)) == [])
    var options = place.options()
    (options.after, options.archiveKeep) = (.archive(path(.beside)), Self.days90)
    #expect(SpoolTrial(options).faults.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path(.beside)) == [], "a trial leaves nothing")
  }

  /// SMB, NTFS and FAT keep a copy's time in steps of up to two seconds.
  @Test(arguments: [(-1_999_999_999, true), (50, true), (1_999_999_999, true), (2_000_000_000, false)])
  func listsCopyWithCoarseTime(difference: Int64, isListed: Bool) throws {
    let archive = Archive(path: path(.beside), isListed: true)
    let (index, directory) = (try #require(archive.index), try archive.open())
    try "content".write(toFile: archive.path + "/a.pdf", atomically: false, encoding: .utf8)
    var identity = FileIdentity(try directory.facts(of: Array("a.pdf".utf8)))
    identity.modified += difference
    index.add(Array("a.pdf".utf8), in: directory, of: directory, holding: identity, at: now)
    #expect((try index.oldestDay(before: now + .seconds(86_400 * 2)) != nil) == isListed)
  }

  // MARK: Groups

  private static let groupFiles = ["a", "sub/b", "sub/deep/c d", "run.done"]

  /// Archives a group as the daemon does, on the day of `now`.
  private func archiveGroup(_ where: ArchivePlace, _ files: [String] = groupFiles) throws -> Archive {
    let spool = try SpoolDirectory(place.options(), wallClock: { now })
    let archive = try Archive(path: path(`where`), of: spool.options, isListed: true)
    let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 99)
    let name = FileName("run")
    let claimed = spool.path(id, name).text
    for file in files {
      let path = URL(filePath: claimed + "/" + file)
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("content of \(file)".utf8).write(to: path)
    }
    let pages = try spool.groupPages(id, name, marker: "*.done")
    while try !pages.next(upTo: 2).isEmpty {}
    let archiving = try spool.archiveGroup(id, name, holding: pages.sum, job: JobNumber(rawValue: 42), in: archive)
    #expect(archiving == (`where` == .beside ? .moved : .copied))
    // see `Place.prepare`
    for file in files { try place.awaitNoWriter(of: path(`where`) + "/run/" + file) }
    return archive
  }

  @Test(arguments: ArchivePlace.allCases) func removesGroupAsWhole(where: ArchivePlace) throws {
    let archive = try archiveGroup(`where`)
    #expect(
      try left(`where`) == ["run", "run/a", "run/sub", "run/sub/b", "run/sub/deep", "run/sub/deep/c d", "run/run.done"])
    #expect(try expire(archive, keep: Self.days90, at: now + Self.days90) == (0, 0, 0))
    #expect(try expire(archive, keep: Self.days90, at: now + Self.days90 + .seconds(86_400)) == (4, 0, 1))
    #expect(try left(`where`) == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: path(`where`) + "/.waybill-archived") == [])
  }

  /// Each way in which a group stops being the one that was archived. All of it stays then.
  static let groupTouches: [(name: String, script: String, isTouched: Bool)] = [
    ("a file appended to", "echo more >> run/sub/deep/c*", true),
    ("a file written over with size and time set back", "touch -r run/a t; echo x > run/a; touch -r t run/a", true),
    ("a file more", "echo x > run/sub/new", true),
    ("a file more in the directory itself", "echo x > run/new", true),
    ("a file less", "rm run/sub/b", true),
    ("a file renamed", "mv run/a run/z", true),
    ("two files exchanged", "mv run/a t; mv run/sub/b run/a; mv t run/sub/b", true),
    ("a file linked", "ln run/a link", true),
    ("a file made readable", "chmod o+r run/sub/b", true),
    ("all files made readable", "chmod -R o+r run", true),
    ("a symbolic link more", "ln -s /etc/passwd run/sub/link", true),
    ("a directory more", "mkdir run/sub/new", true),
    ("a directory renamed", "mv run/sub run/bus", true),
    ("the group renamed", "mv run other", true),
    ("the group renamed there and back", "mv run other; mv other run", true),
    ("the group copied over itself", "cp -a run other; rm -r run; mv other run", true),
    ("the group given another mode", "chmod o-x run", true),
    ("read", "find run -type f -exec cat {} + > /dev/null", false),
    ("removed", "rm -r run", false),
  ]

  @Test(arguments: groupTouches.indices) func keepsTouchedGroup(index: Int) async throws {
    let (name, script, isTouched) = Self.groupTouches[index]
    let archive = try archiveGroup(.beside)
    try await Command.require(["sh", "-ec", "cd \"$1\"; \(script)", "_", path(.beside)])
    let before = try left(.beside)
    let result = try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3))
    #expect(try left(.beside) == (isTouched ? before : []), "\(name): \(result)")
    #expect(result.kept == (isTouched && name != "the group renamed" ? 1 : 0), "\(name)")
  }

  @Test func keepsGroupWithOpenFile() throws {
    let archive = try archiveGroup(.beside)
    let handle = try FileHandle(forWritingTo: URL(filePath: path(.beside) + "/run/sub/b"))
    #expect(try expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3)) == (0, 1, 1))
    try handle.close()
    #expect(try left(.beside).count == 7)
  }

  /// A group's removal that is cut after any number of files, by a pass that never goes on, is finished by the next one. What
  /// somebody writes into it meanwhile brings the rest back.
  @Test(arguments: Array(1...16), [true, false])
  func finishesInterruptedGroupRemoval(after turns: Int, isTouched: Bool) throws {
    let archive = try archiveGroup(.beside)
    let index = try #require(archive.index)
    // held open, as by a program in that directory
    let inside = try Directory(path: path(.beside) + "/run/sub/deep")
    var expiry = try ArchiveExpiry(of: "2026-11-24", in: index)
    var isDone = false
    for _ in 0..<turns where !isDone { isDone = try expiry.goOn(upTo: 1) }
    let before = try left(.beside)
    // the clock of file systems moves in steps
    let file = isTouched ? try? inside.openToAppend(Array("late".utf8), permissions: 0o600) : nil
    let wasInTime = isDone || (isTouched && file == nil)
    try file?.write(Array("x".utf8), path: "late")
    let result = try isDone ? (0, 0, 0) : expire(archive, keep: .seconds(86_400), at: now + .seconds(86_400 * 3))
    let isKept = isTouched && !wasInTime
    #expect(result.1 == (isKept ? 1 : 0), "\(before)")
    let left = try left(.beside)
    #expect(left.count { $0.hasSuffix("/late") } == (isKept ? 1 : 0), "what was written meanwhile stays: \(left)")
    #expect(isKept || left == [])
    let lists = try FileManager.default.contentsOfDirectory(atPath: path(.beside) + "/.waybill-archived")
    #expect(lists == [], "\(lists)")
  }

  /// The removal goes on in steps of a few files, whatever the size of the group.
  @Test func stepRespectsRemovalLimit() throws {
    let archive = try archiveGroup(.beside, (0..<50).map { "d\($0 % 3)/f\($0)" } + ["run.done"])
    var expiry = try ArchiveExpiry(of: "2026-11-24", in: try #require(archive.index))
    var before = 0
    while try !expiry.goOn(upTo: 7) {
      #expect(expiry.removed - before <= 7)
      before = expiry.removed
    }
    #expect(expiry.removed == 51)
  }
}
