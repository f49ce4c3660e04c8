import ChildProcesses
import Foundation
import LoopbackPeer
import Synchronization
import Testing

@testable import Harness

/// Many files at once, with the daemon left alone and with it killed on the way.
@Suite(.slot)
struct BulkTests {
  /// Several times as many as are in flight, wherever that is enough to show it.
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

  /// Also where commits take long beside requests that are so quick.
  @Test func concurrencyLimitHolds() async throws {
    let inFlight = Mutex((now: 0, most: 0))
    let storage = KeepingStorage()
    let end = ContinuousClock.now + patience
    let peer = try LoopbackPeer { request in
      inFlight.withLock { count in
        count.now += 1
        count.most = max(count.most, count.now)
      }
      // The first ones are answered once as many are there as may be, and all others after what a server takes over it.
      repeat { usleep(2000) } while inFlight.withLock { $0.most } < 8 && .now < end
      inFlight.withLock { $0.now -= 1 }
      return storage.reply(request)
    }
    try await withRig({ setup in
      setup.concurrency = 8
      setup.storage.endpoint = peer.url
      setup.backend = peer.url
    }) { rig in
      _ = try await Self.dropAll(rig)
      try await until("all to be registered", every: .milliseconds(100)) {
        try await rig.daemon.count("registered") == Self.count
      }
      #expect(inFlight.withLock { $0.most } == 8)
      #expect(peer.requests.count { $0.method != "HEAD" } == 2 * Self.count)
      #expect((1...8).contains(peer.requests.count { $0.method == "HEAD" }), "of what went out before one was seen")
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
