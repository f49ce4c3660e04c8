import ChildProcesses
import Foundation
import Testing

@testable import Spool

/// Directories that are made as the commands for people make them.
@Suite(.slot) struct DirectorySetupTests {
  private static let user = "nobody"

  private func facts(_ path: String) async throws -> String {
    try await Command.require(["stat", "-c", "%a %U %G", path])
      + Command.require(["getfacl", "-c", path]) + Command.require(["stat", "-c", "%a", path + "/.."])
  }

  @Test(.needs(.otherUser, .acl)) func equalsRecipe() async throws {
    let folder = try TemporaryFolder()
    // The umask is root's own, and must not count.
    let setup = try #require(DirectorySetup(user: Self.user, droppers: "daemon"))
    #expect(try setup.state(of: folder.file("ours/a")) == .missing)
    #expect(try setup.makeSpool(folder.file("ours/a")))
    try setup.makeArchive(folder.file("ours/kept/b"))
    for command in setup.recipe.spool(folder.file("theirs/a")) + setup.recipe.archive(folder.file("theirs/kept/b")) {
      try await Command.require(["sh", "-c", command])
    }
    for path in ["a", "kept/b"] {
      let (ours, theirs) = (
        try await facts(folder.file("ours/" + path)), try await facts(folder.file("theirs/" + path))
      )
      #expect(ours == theirs && ours.contains("nobody"), "\(ours) \(theirs)")
    }
    #expect(try setup.state(of: folder.file("ours/a")) == .ready)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("ours")).sorted() == ["a", "kept"])
  }

  @Test(.needs(.otherUser, .acl)) func tellsWhoseDirectoryItIs() async throws {
    let folder = try TemporaryFolder()
    try await Command.require(["install", "-d", "-o", "daemon", "-g", "daemon", folder.file("a")])
    let setup = try #require(DirectorySetup(user: Self.user))
    #expect(try setup.state(of: folder.file("a")) == .others(owner: "daemon", group: "daemon"))
    // Another group matters only if one was asked for.
    try await Command.require(["chown", Self.user, folder.file("a")])
    #expect(try setup.state(of: folder.file("a")) == .ready)
    let insisting = try #require(DirectorySetup(user: Self.user, droppers: "mail"))
    #expect(try insisting.state(of: folder.file("a")) == .others(owner: Self.user, group: "daemon"))
    // Not without having looked, and not if it is another's by now.
    #expect(throws: (any Error).self) { try insisting.makeSpool(folder.file("a")) }
    #expect(throws: (any Error).self) {
      try insisting.makeSpool(folder.file("a"), found: .others(owner: "daemon", group: "daemon"))
    }
    #expect(try insisting.makeSpool(folder.file("a"), found: .others(owner: Self.user, group: "daemon")))
    #expect(try insisting.state(of: folder.file("a")) == .ready)
    try await Command.require(["touch", folder.file("file")])
    #expect(throws: (any Error).self) { try setup.state(of: folder.file("file")) }
    #expect(DirectorySetup(user: "no-such-user") == nil)
    #expect(DirectorySetup(user: Self.user, droppers: "no-such-group") == nil)
  }

  /// A run that was killed leaves a directory of another name, which the next run finishes.
  @Test(.needs(.otherUser, .acl)) func finishesInterruptedRun() async throws {
    let folder = try TemporaryFolder()
    try await Command.require(["mkdir", "-m", "700", folder.file(".waybill-new-a")])
    let setup = try #require(DirectorySetup(user: Self.user))
    #expect(try setup.makeSpool(folder.file("a")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
    // One of somebody else is left alone.
    try await Command.require(["install", "-d", "-o", "daemon", folder.file(".waybill-new-b")])
    #expect(throws: (any Error).self) { try setup.makeSpool(folder.file("b")) }
  }
}
