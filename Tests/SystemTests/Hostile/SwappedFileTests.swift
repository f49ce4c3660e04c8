import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Somebody who may drop files puts other things in their place while they are looked at, claimed and opened. What the daemon
/// may read and he may not never turns up at the server, and stays where it is.
@Suite(.slot, .bounded, .needs(.testUsers))
struct SwappedFileTests {
  private static let secret = "the daemon's own: secret\n"

  /// How often: enough for hundreds of claims to fall in between.
  private static let rounds = "1500"

  /// A directory that is the daemon's alone, with a file of the name that is dropped.
  private func makeSecret(_ rig: Rig) async throws -> URL {
    let folder = try rig.folder.madeFolder("secrets")
    try Data(Self.secret.utf8).write(to: folder.appending(path: "secret.pdf"))
    try await Command.require(["chown", "-R", "\(OtherUser.daemon.name):", folder.path])
    try await Command.require(["chmod", "-R", "u=rwX,go=", folder.path])
    return folder
  }

  /// Waits until all that is left has come to rest, and compares what the server has with what was dropped.
  private func expectOnlyDropped(_ manifest: Manifest, _ rig: Rig, _ folder: URL) async throws {
    try await rig.drop("after.pdf", until: "registered")
    try await until("all to come to rest") {
      guard rig.filesInSpool().isEmpty else { return false }
      let counts = try await rig.daemon.status().counts
      return ["queued", "active", "deferred"].allSatisfy { (counts[$0].int ?? 0) == 0 }
    }
    let dropped = Set(manifest.sums.values)
    let objects = try await rig.sandbox.objects()
    #expect(objects.count > 1)
    for (key, object) in objects where !key.hasSuffix("/after.pdf") {
      #expect(object.sha256.string.map { dropped.contains($0) } == true, "\(key): \(object)")
    }
    for body in try rig.sandbox.registrations().map(\.body) where body.name != "after.pdf" {
      #expect(body.sha256.string.map { dropped.contains($0) } == true, "\(body)")
    }
    for job in try await rig.daemon.jobs() { #expect(job.state == "registered", "\(job)") }
    let secret = folder.appending(path: "secret.pdf")
    #expect(try String(contentsOf: secret, encoding: .utf8) == Self.secret)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["secret.pdf"])
    #expect(try await rig.daemon.stop() == .exit(0))
  }

  @Test(arguments: ["inotify", "poll"]) func swappedFilesLeakNothing(_ watch: String) async throws {
    try await withRig(
      users: OtherUsers(),
      {
        $0.constants["watch"] = "\"\(watch)\""
        $0.spoolLines = ["scan_interval = \"\(watch == "poll" ? "100ms" : "1s")\""]
      }
    ) { rig in
      let folder = try await makeSecret(rig)
      let target = folder.appending(path: "secret.pdf").path
      let output = try await Command.require(
        try await OtherUsers.dropping(["swap", rig.setup.spool.path, target, Self.rounds]))
      try await expectOnlyDropped(try Manifest(output), rig, folder)
    }
  }

  @Test(arguments: ["inotify", "poll"]) func swappedDirectoriesLeakNothing(_ watch: String) async throws {
    try await withRig(
      users: OtherUsers(),
      {
        $0.key = "{id}/{path}/{name}"
        $0.constants["watch"] = "\"\(watch)\""
        $0.spoolLines = ["recursive = true", "scan_interval = \"\(watch == "poll" ? "100ms" : "1s")\""]
      }
    ) { rig in
      let folder = try await makeSecret(rig)
      let output = try await Command.require(
        try await OtherUsers.dropping(["swap-folder", rig.setup.spool.path, folder.path, Self.rounds]))
      try await expectOnlyDropped(try Manifest(output), rig, folder)
    }
  }
}
