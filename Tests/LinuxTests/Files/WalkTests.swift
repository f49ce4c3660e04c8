import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

/// The way to a directory below another one, which leads through no link and into no mount.
@Suite struct WalkTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func makeFolders(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: "\(scratch.path)/\(path)", withIntermediateDirectories: true)
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: "\(scratch.path)/\(path)", withDestinationPath: target)
  }

  @Test func findsDirectoryAtAnyDepth() throws {
    let names = [String(repeating: "x", count: 255), "two\nlines", "b", "c"]
    try makeFolders(names.joined(separator: "/"))
    for depth in 1...names.count {
      let path = names.prefix(depth).joined(separator: "/")
      let found = try scratch.directory.directory(below: bytes(path))
      let expected = try Directory(path: "\(scratch.path)/\(path)").facts()
      #expect(try found.facts().isSameFile(as: expected))
      // It is good for what the callers do with it.
      _ = try found.create(bytes("file"), permissions: 0o600)
      #expect(try found.reopened().listing().next() != nil)
      #expect(try found.facts(of: bytes("file")).kind == .regular)
    }
  }

  @Test func refusesLinksFilesAndParentPaths() throws {
    try makeFolders("a/b")
    try scratch.write("", bytes("file"))
    try link("link", to: "a")
    try link("a/up", to: "..")
    try link("a/root", to: "/")
    // mkfifo takes a C string: the path is lent for the call.
    #expect(unsafe mkfifo(scratch.path + "/a/fifo", 0o600) == 0)
    let refused: [(String, Int32)] = [
      ("link", ELOOP), ("link/b", ELOOP), ("a/up", ELOOP), ("a/up/a", ELOOP), ("a/root/etc", ELOOP),
      ("file", ENOTDIR), ("file/b", ENOTDIR), ("a/fifo", ENOTDIR), ("none", ENOENT), ("a/none/b", ENOENT), ("", ENOENT),
      ("..", EXDEV), ("a/../../etc", EXDEV), ("/etc", EXDEV), (String(repeating: "x", count: 256), ENAMETOOLONG),
    ]
    for (path, errno) in refused {
      let error = #expect(throws: FileError.self, "\(path)") { try scratch.directory.directory(below: bytes(path)) }
      #expect(error?.errno == errno, "\(path): \(error?.words ?? "opened")")
    }
  }

  /// A bind mount has the same device, and a tmpfs another one.
  @Test(.needs(.mount)) func doesNotEnterMounts() async throws {
    try makeFolders("other/b")
    for kind in [["--bind", scratch.path + "/other"], ["-t", "tmpfs", "tmpfs"]] {
      try makeFolders("a/mounted")
      let place = scratch.path + "/a/mounted"
      try await Command.require(["mount"] + kind + [place])
      let made = Result { try makeFolders("a/mounted/b") }
      for path in ["a/mounted", "a/mounted/b"] {
        let error = #expect(throws: FileError.self, "\(path)") { try scratch.directory.directory(below: bytes(path)) }
        #expect(error?.errno == EXDEV, "\(path): \(error?.words ?? "opened")")
      }
      // From within there is nothing to cross.
      #expect(throws: Never.self) { try Directory(path: place).directory(below: bytes("b")) }
      try await Command.require(["umount", "--lazy", place])
      try made.get()
    }
  }

  /// A link takes a directory's place while it is walked through.
  @Test func swappedDirectoryLinkIsNotFollowed() async throws {
    let outside = try Scratch()
    try outside.directory.makeDirectory(bytes("b"), permissions: 0o700)
    try makeFolders("a/b")
    try link("link", to: outside.path)
    let directory = scratch.directory
    let inside = try directory.directory(bytes("a")).directory(bytes("b")).facts()
    let swapping = Task.detached {
      while !Task.isCancelled {
        try directory.rename(bytes("a"), into: directory, as: bytes("away"))
        try directory.rename(bytes("link"), into: directory, as: bytes("a"))
        try directory.rename(bytes("a"), into: directory, as: bytes("link"))
        try directory.rename(bytes("away"), into: directory, as: bytes("a"))
      }
    }
    var found = 0
    for _ in 1...20_000 {
      do throws(FileError) {
        let opened = try directory.directory(below: bytes("a/b"))
        #expect(try opened.facts().isSameFile(as: inside))
        found += 1
      } catch {
        #expect([ENOENT, ELOOP].contains(error.errno), "\(error)")
      }
    }
    swapping.cancel()
    try await swapping.value
    #expect(found > 0)
  }
}
