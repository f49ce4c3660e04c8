import Foundation
import Glibc
import Linux
import Seams
import Testing

@Suite struct DirectoryTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func renameNeverReplaces() throws {
    try scratch.write("a", bytes("a"))
    try scratch.write("b", bytes("b"))
    let error = #expect(throws: FileError.self) {
      try scratch.directory.rename(bytes("a"), into: scratch.directory, as: bytes("b"))
    }
    #expect(error?.errno == EEXIST)
    #expect(error?.words == "cannot rename \(scratch.path)/a to \(scratch.path)/b: File exists (EEXIST)")
    try scratch.directory.rename(bytes("a"), into: scratch.directory, as: bytes("c"))
    #expect(try scratch.directory.open(bytes("c")).read(at: 0, count: 10) == bytes("a"))
  }

  @Test func errorsEscapeUnprintableBytes() throws {
    let error = #expect(throws: FileError.self) { try scratch.directory.facts(of: [0x0A, 0xFF, 0x41]) }
    #expect(error?.words.hasSuffix("/\\n\\xffA: No such file or directory (ENOENT)") == true)
    #expect(FileError("open", path: "/a\u{202E}b", errno: EACCES).path == "/a\\u{202e}b")
  }

  @Test func refusesLinksPipesAndDirectories() throws {
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: "/etc/passwd")
    // mkfifo takes a C string: the path is lent for the call.
    #expect(unsafe mkfifo(scratch.path + "/fifo", 0o600) == 0)
    try scratch.directory.makeDirectory(bytes("dir"), permissions: 0o700)
    for name in ["link", "fifo", "dir"] {
      #expect(throws: FileError.self) { try scratch.directory.open(bytes(name)) }
    }
    #expect(try scratch.directory.facts(of: bytes("link")).kind == .symbolicLink)
    #expect(try scratch.directory.facts(of: bytes("fifo")).kind == .other)
    #expect(throws: FileError.self) { try scratch.directory.directory(bytes("link")) }
  }

  /// A link that takes a file's place after a look at it is not followed: the openings refuse it, not only the look.
  @Test func swappedLinkIsNotFollowed() throws {
    try scratch.write("what was looked at", bytes("name"))
    let facts = try scratch.directory.facts(of: bytes("name"))
    try scratch.directory.remove(bytes("name"))
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/name", withDestinationPath: "/etc/passwd")
    let ours = #expect(throws: FileError.self) { try scratch.directory.openOurs(bytes("name")) }
    #expect(ours?.errno == ELOOP)
    let looked = #expect(throws: FileError.self) { try scratch.directory.open(bytes("name"), whose: facts) }
    #expect(looked?.errno == ELOOP)
  }

  @Test func listingYieldsEachNameOnce() throws {
    let names = [bytes("plain"), bytes("two\nlines"), [0xC3, 0x28, 0x80], [UInt8](repeating: 0x78, count: 255)]
    for name in names { try scratch.write("", name) }
    let listing = try scratch.directory.listing()
    var seen: [[UInt8]] = []
    while let entry = try listing.next() { seen.append(entry.name) }
    #expect(seen.count == names.count)
    #expect(Set(seen) == Set(names))
  }

  @Test func heldDirectorySurvivesRename() throws {
    try scratch.directory.makeDirectory(bytes("old"), permissions: 0o700)
    let held = try scratch.directory.directory(bytes("old"))
    try scratch.directory.rename(bytes("old"), into: scratch.directory, as: bytes("new"))
    _ = try held.create(bytes("file"), permissions: 0o600)
    #expect(FileManager.default.fileExists(atPath: scratch.path + "/new/file"))
    try held.sync(.claimPlace)
  }

  @Test func factsIncludeSizeModeAndTimes() throws {
    try scratch.write("12345", bytes("f"))
    let before = Clocks.wall() * 1000
    let facts = try scratch.directory.open(bytes("f")).facts()
    #expect(facts.size == 5)
    #expect(facts.mode == "0600")
    #expect(facts.links == 1)
    #expect(abs(facts.changed - before) < 60_000_000_000)
    #expect(try scratch.directory.fileSystem().availableBytes > 0)
    #expect(try !scratch.directory.fileSystem().isRemote)
  }

  @Test func attributeReadingIsBounded() throws {
    let file = try scratch.directory.create(bytes("f"), permissions: 0o600)
    // where SELinux is at work, a file always has one
    let hasNone = !scratch.directory.mayHaveAttributes(bytes("f"))
    let found = try scratch.directory.open(bytes("f")).attributes(where: { _ in true }, count: 9, bytes: 999)
    #expect(hasNone == found.values.isEmpty)
    #expect(scratch.directory.mayHaveAttributes(bytes("none")), "it cannot be told")
    for index in 0..<5 { try file.setAttribute("user.waybill.k\(index)", bytes("value"), path: "f") }
    try file.setAttribute("user.other", bytes("no"), path: "f")
    try file.setAttribute("user.mime_type", [], path: "f")
    #expect(scratch.directory.mayHaveAttributes(bytes("f")))
    let open = try scratch.directory.open(bytes("f"))
    let all = try open.attributes(where: { !$0.hasSuffix("other") }, count: 10, bytes: 1000)
    #expect(all.values.count == 6)
    #expect(all.values["user.waybill.k3"] == bytes("value"))
    #expect(all.values["user.mime_type"] == [])
    #expect(!all.wasCut)
    let few = try open.attributes(where: { $0.hasPrefix("user.waybill.") }, count: 2, bytes: 1000)
    #expect(Set(few.values.keys) == ["user.waybill.k0", "user.waybill.k1"])
    #expect(few.wasCut)
    let short = try open.attributes(where: { $0.hasPrefix("user.waybill.") }, count: 10, bytes: 45)
    #expect(short.values.count == 2)
    #expect(short.wasCut)
    #if DEBUG
      // XFS and Btrfs have room for more names than the kernel lists (XATTR_LIST_MAX).
      for turn in 1...2 {
        let calls = try #require(FailingCalls(plan: "listxattr:f:\(turn)=E2BIG"))
        let none = try calls.watch { try open.attributes(where: { _ in true }, count: 10, bytes: 1000) }
        #expect(calls.hasFailed && none.wasCut && none.values.isEmpty)
      }
    #endif
  }

  @Test func patternsMatchLikeShell() {
    #expect(ShellPattern("*.part").matches(bytes("x.part")))
    #expect(!ShellPattern("*.part").matches(bytes("x.part2")))
    #expect(ShellPattern("Thumbs.db").matches(bytes("THUMBS.DB")))
    #expect(ShellPattern("*.PART").matches(bytes("x.Part")))
    #expect(ShellPattern("~$*").matches(bytes("~$letter.docx")))
    #expect(ShellPattern("*~").matches([0xFF, 0x7E]))
    #expect(ShellPattern("a?[0-9]").matches(bytes("ab7")))
    #expect(!ShellPattern("a?[0-9]").matches(bytes("abc")))
    #expect(ShellPattern("*").matches(bytes("two\nlines")))
    func lowered(_ byte: UInt8) -> UInt8 { ("A"..."Z").contains(UnicodeScalar(byte)) ? byte | 0x20 : byte }
    for end in UInt8(0x21)...0x7E where !"*?\\".utf8.contains(end) {
      let pattern = ShellPattern("*\(UnicodeScalar(end))")
      for last in 1...UInt8.max {
        #expect(pattern.matches([last]) == (lowered(last) == lowered(end)), "\(pattern.text) and \(last)")
      }
    }
  }
}
