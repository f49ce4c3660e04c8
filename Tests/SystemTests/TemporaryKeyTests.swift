import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Keys with a session token, given out by a Ceph gateway.
@Suite(.slot, .needs(.ceph, .awscli, .s3Server))
struct TemporaryKeyTests {
  private static let count = 20

  private static func tokenFile(in folder: URL) -> URL { folder.appending(path: "token") }

  /// Writes key, secret and token into their files, one after the other, as whoever renews them does.
  private func write(_ keys: TemporaryKeys, _ setup: inout DaemonSetup) throws {
    try (keys.token + "\n").write(to: Self.tokenFile(in: setup.folder), atomically: true, encoding: .utf8)
    (setup.storage.accessKey, setup.storage.secretKey) = (keys.accessKey, keys.secretKey)
    try setup.writeKeys()
  }

  /// Ceph says of a token that it does not know, or that has expired, what it says of a missing right. That is one question, and the right
  /// token ends it for all.
  @Test func unknownTokenAsksOneNamedQuestion() async throws {
    try await withCeph(withTemporaryKeys: true) { ceph in
      var keys = try await ceph.temporaryKeys()
      keys.token = String(keys.token.dropLast(40))
      try await withRig({
        $0.storage = ceph.storage
        $0.delays = ["1h"]
        $0.storageLines = ["session_token = { file = \"\(Self.tokenFile(in: $0.folder).path)\" }"]
        try write(keys, &$0)
      }) { rig in
        for number in 1...Self.count { try rig.drop("\(number).pdf") }
        try await until("one question, and the others to wait") {
          let counts = try await rig.daemon.status().counts
          return counts["awaiting-confirmation"] == 1 && (counts.queued.int ?? 0) == Self.count - 1
        }
        let asking = try #require(try await rig.daemon.jobs().first { $0.state == "awaiting-confirmation" })
        #expect(asking.error.kind == "destination" && asking.error.code == "AccessDenied")
        #expect(asking.question.string?.contains("its session token is wrong or has expired. Retry?") == true)
        var setup = rig.setup
        try write(try await ceph.temporaryKeys(), &setup)
        #expect(try await rig.daemon.waybill("confirm", String(asking.job.int ?? 0)).status == 0)
        try await until("all to be registered") { try await rig.daemon.count("registered") == Self.count }
        #expect(try rig.sandbox.registrations().count == Self.count)
        #expect(try await rig.daemon.status().gates.array.isEmpty)
      }
    }
  }
}

/// A key with the token that belongs to it.
struct TemporaryKeys {
  var accessKey: String
  var secretKey: String
  var token: String
}

extension CephServer {
  /// New ones, by the awscli.
  func temporaryKeys() async throws -> TemporaryKeys {
    let words = try await Command.require([Products.support("ceph-rgw-sts.sh"), ceph, try AWSCLI.program()])
      .split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 3 else { throw Missing("temporary keys") }
    return TemporaryKeys(accessKey: words[0], secretKey: words[1], token: words[2])
  }
}
