import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Who goes first where more files wait than may be admitted ahead of their turn.
@Suite(.slot)
struct IntakeOrderTests {
  private static let files = 30
  private static let ahead = 4

  /// The spools of the registrations in their order, with two spools that were full at the start.
  private func order(priority: Int) async throws -> [String] {
    var order: [String] = []
    // The first upload is held until both spools have asked for room.
    try await withRig(faults: ["upload": ["hold": true]], starting: false) { setup in
      setup.waitForServers()
      let other = setup.folder.appending(path: "other")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      setup.concurrency = 1
      setup.settleUnseen = "0s"
      setup.constants["admit_ahead"] = "\(Self.ahead)"
      setup.furtherSpools = """
        [[spool]]
        name = "other"
        path = "\(other.path)"
        settle_unseen = "0s"
        priority = \(priority)
        """
    } _: { rig in
      for number in 1...Self.files {
        try rig.drop("a\(number).pdf")
        try rig.drop("b\(number).pdf")
        try FileManager.default.moveItem(
          at: rig.setup.spool.appending(path: "b\(number).pdf"),
          to: rig.folder.appending(path: "other/b\(number).pdf"))
      }
      try await rig.daemon.start()
      try await until("files of both spools to wait for room, and the first upload to be held") {
        let spools = try await rig.daemon.status().spools.array
        guard spools.count == 2, spools.allSatisfy({ $0.waiting.ready.int ?? 0 >= Self.files - Self.ahead }) else {
          return false
        }
        return try await rig.sandbox.count("upload") > 0
      }
      try await rig.sandbox.recover()
      try await until("all to be registered") { try await rig.daemon.count("registered") == 2 * Self.files }
      order = try rig.sandbox.registrations().compactMap(\.body.spool.string)
    }
    return order
  }

  @Test func higherPrioritySpoolEmptiesFirst() async throws {
    let order = try await order(priority: 1)
    let last = try #require(order.lastIndex(of: "other"))
    // what the other spool was given before the first look at both
    #expect(last < Self.files + 2 * Self.ahead, "\(order)")
  }

  @Test func equalSpoolsShareRoom() async throws {
    let order = try await order(priority: 0)
    let half = order.prefix(Self.files)
    for spool in ["documents", "other"] {
      #expect(half.count { $0 == spool } >= Self.files / 3, "\(order)")
    }
  }
}
