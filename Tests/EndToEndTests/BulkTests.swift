import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Many files at once, while the daemon is killed again and again.
@Suite(.slot)
struct BulkTests {
  /// Several times as many as are in flight.
  static let count = 150

  @Test func repeatedKillsLoseAndDuplicateNothing() async throws {
    let slow: JSONValue = ["upload": ["latency_ms": 15], "register": ["latency_ms": 15]]
    try await withRig(faults: slow, { $0.concurrency = 16 }) { rig in
      let manifest = try await Self.dropAll(rig)
      for share in [1, 3, 5, 8] {
        try await until("\(share) tenths to be registered") {
          try await rig.sandbox.state().registrations.lines.int ?? 0 >= Self.count * share / 10
        }
        try await rig.daemon.kill()
        try await rig.daemon.start()
      }
      try await until("all to be registered", every: .milliseconds(100)) {
        try await rig.daemon.count("registered") == Self.count
      }
      try await Self.checkAll(rig, manifest)
      #expect(try await rig.sandbox.state().registrations.mismatched == 0)
    }
  }

  /// Writes the files elsewhere and renames them in as fast as it goes; hands back their SHA-256 by name.
  private static func dropAll(_ rig: Rig) async throws -> [String: String] {
    let outside = rig.folder.appending(path: "outside")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    var random = Seeds.numbers()
    for number in 0..<count {
      try Bytes.random(Int.random(in: 1...4096, using: &random)).write(
        to: outside.appending(path: "file \(number).bin"))
    }
    let manifest = try await Bytes.manifest(of: outside)
    for name in manifest.keys {
      try FileManager.default.moveItem(
        at: outside.appending(path: name), to: rig.setup.spool.appending(path: name))
    }
    return manifest
  }

  private static func checkAll(_ rig: Rig, _ manifest: [String: String]) async throws {
    #expect(manifest.count == count)
    let jobs = try await rig.daemon.jobs()
    #expect(jobs.count == count)
    #expect(Set(jobs.compactMap(\.id.string)).count == count)
    #expect(Set(jobs.compactMap(\.name.string)) == Set(manifest.keys))
    // Each file is registered under exactly one identity, the one that its job has.
    let bodies = try rig.sandbox.registrations().map(\.body)
    #expect(bodies.count == count)
    #expect(Set(bodies.compactMap(\.id.string)) == Set(jobs.compactMap(\.id.string)))
    #expect(Set(bodies.compactMap(\.name.string)) == Set(manifest.keys))
    // The storage holds one object of each, and it is the file.
    let objects = try await rig.sandbox.objects()
    #expect(objects.count == count)
    for body in bodies {
      let name = body.name.string ?? ""
      #expect(objects[body.key.string ?? ""]?.sha256.string == manifest[name])
      #expect(body.sha256.string == manifest[name])
    }
    // What the sandbox says of its objects is what can be read back.
    var random = Seeds.numbers()
    let some = Array(bodies.compactMap(\.key.string).shuffled(using: &random).prefix(20))
    for (key, data) in try await S3Reader(storage: rig.setup.storage).objects(some) {
      #expect(try await Bytes.sha256(data) == objects[key]?.sha256.string)
    }
    try await until("the last file's disposal") { try rig.filesLeft().isEmpty }
  }
}
