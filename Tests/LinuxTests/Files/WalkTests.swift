import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

/// The ways to a directory below another one: by openat2(2), and step by step where that is refused. They are equally safe.
@Suite struct WalkTests {
  enum Way: CaseIterable {
    case native, stepByStep

    func open(_ path: String, below directory: Directory) throws(FileError) -> Directory {
      switch self {
      case .native: try directory.directory(below: bytes(path))
      case .stepByStep: try directory.directory(walkingBelow: bytes(path))
      }
    }
  }

  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func makeFolders(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: "\(scratch.path)/\(path)", withIntermediateDirectories: true)
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: "\(scratch.path)/\(path)", withDestinationPath: target)
  }

  @Test(arguments: Way.allCases) func findsDirectoryAtAnyDepth(_ way: Way) throws {
    let names = [String(repeating: "x", count: 255), "two\nlines", "b", "c"]
    try makeFolders(names.joined(separator: "/"))
    for depth in 1...names.count {
      let path = names.prefix(depth).joined(separator: "/")
      let found = try way.open(path, below: scratch.directory)
      let expected = try Directory(path: "\(scratch.path)/\(path)").facts()
      #expect(try found.facts().isSameFile(as: expected))
      // It is good for what the callers do with it.
      _ = try found.create(bytes("file"), permissions: 0o600)
      #expect(try found.reopened().listing().next() != nil)
      #expect(try found.facts(of: bytes("file")).kind == .regular)
    }
  }

  @Test(arguments: Way.allCases) func refusesLinksFilesAndParentPaths(_ way: Way) throws {
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
      let error = #expect(throws: FileError.self, "\(path)") { try way.open(path, below: scratch.directory) }
      #expect(error?.errno == errno, "\(path): \(error?.words ?? "opened")")
    }
  }

  /// A bind mount has the same device, and a tmpfs another one.
  @Test(.needs(.mount), arguments: Way.allCases) func doesNotEnterMounts(_ way: Way) async throws {
    try makeFolders("other/b")
    for kind in [["--bind", scratch.path + "/other"], ["-t", "tmpfs", "tmpfs"]] {
      try makeFolders("a/mounted")
      let place = scratch.path + "/a/mounted"
      try await Command.require(["mount"] + kind + [place])
      let made = Result { try makeFolders("a/mounted/b") }
      for path in ["a/mounted", "a/mounted/b"] {
        let error = #expect(throws: FileError.self, "\(path)") { try way.open(path, below: scratch.directory) }
        #expect(error?.errno == EXDEV, "\(path): \(error?.words ?? "opened")")
      }
      // From within there is nothing to cross.
      #expect(throws: Never.self) { try way.open("b", below: try Directory(path: place)) }
      try await Command.require(["umount", "--lazy", place])
      try made.get()
    }
  }

  /// A link takes a directory's place while it is walked through.
  @Test(arguments: Way.allCases) func swappedDirectoryLinkIsNotFollowed(_ way: Way) async throws {
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
        let opened = try way.open("a/b", below: directory)
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
