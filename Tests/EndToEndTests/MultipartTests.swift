import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Large files through the whole daemon, which dies, is refused, and goes on.
@Suite(.slot)
struct MultipartTests {
  private static let part = 5 << 20

  private static func inParts(_ setup: inout DaemonSetup) {
    setup.sendInParts()
    setup.delays = ["50ms", "50ms"]
  }

  private func parts(_ rig: Rig) async throws -> [String: Int] {
    let all = try await rig.sandbox.state().parts.members
    #expect(all.count == 1)
    return (all.values.first?.members ?? [:]).compactMapValues(\.int)
  }

  /// A rig whose storage is behind a wire that holds the first request for a part in the middle of its body.
  private func withPartHeld(
    _ part: Int,
    _ body: (_ rig: Rig, _ held: () async throws -> Void, _ release: () async throws -> Void) async throws -> Void
  ) async throws {
    try await withRig(starting: false, Self.inParts) { outer in
      let address = String(outer.setup.storage.endpoint.dropFirst("http://".count))
      let wire = try await Wire(to: address, certificate: nil)
      let request = "partNumber=\(part)&"
      try await wire.spoil(.hold, request)
      var setup = outer.setup
      setup.storage.endpoint = wire.url
      try setup.write()
      let daemon = Daemon(setup)
      try await daemon.start()
      let rig = Rig(folder: outer.folder, sandbox: outer.sandbox, daemon: daemon, journal: nil)
      try await body(rig, { try await wire.holds(request) }, { try await wire.release(request) })
    }
  }

  @Test func restartSendsOnlyMissingParts() async throws {
    try await withPartHeld(3) { rig, held, release in
      let data = try Bytes.random(8 * Self.part - 7)
      try rig.drop("large.bin", data)
      try await held()
      try await rig.daemon.kill()
      try await release()
      try await rig.daemon.start()
      let job = try await rig.daemon.job(named: "large.bin", in: "registered")
      let sent = try await parts(rig)
      // the one in flight when the daemon died may have arrived or not
      #expect(sent.count == 8)
      #expect(sent.filter { $0.value > 1 }.keys.allSatisfy { $0 == "3" })
      #expect(try await rig.sandbox.count("create") == 1)
      #expect(try await rig.sandbox.state().uploads == [])
      let object = try await rig.sandbox.objects()[job.key.string ?? ""]
      #expect(object?.sha256.string == (try await Bytes.sha256(data)))
      #expect(try rig.sandbox.registrations().count == 1)
      #expect(job.attempts.array.prefix(2).map(\.outcome) == ["cut", "succeeded"])
    }
  }

  /// A part is half sent; what is written meanwhile makes another object, never a mixture.
  @Test func changedFileStartsOver() async throws {
    try await withPartHeld(2) { rig, held, release in
      try rig.drop("large.bin", try Bytes.random(3 * Self.part))
      try await held()
      let path = try #require(try await rig.daemon.job(1).path.string)
      let data = try Bytes.random(2 * Self.part + 5)
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: data)
      try handle.close()
      try await release()
      let job = try await rig.daemon.job(named: "large.bin", in: "registered")
      #expect(job.size.int == data.count)
      let object = try await rig.sandbox.objects()[job.key.string ?? ""]
      #expect(object?.sha256.string == (try await Bytes.sha256(data)))
      #expect(try await rig.sandbox.state().uploads == [])
    }
  }
}
