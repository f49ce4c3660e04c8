import ChildProcesses
import Foundation
import LoopbackPeer
import Testing

@testable import Harness

/// Storages that answer well and store nothing, against one real daemon: no file is removed, one question is asked for each of
/// them, and its gate is closed.
@Suite(.slot, .bounded)
struct SwallowingStorageTests {
  @Test func keepsFilesNotStored() async throws {
    let storages = SwallowingStorage.all
    #expect(Set(storages.map(\.name)).count == storages.count && storages.count >= 20)
    let peer = try SwallowingStorage.peer(storages)
    let places = storages.map { (name: $0.name, url: "\(peer.url)/\($0.name)", isInParts: $0.isInParts) }
    try await SwallowingStorage.expectNothingIsLost(at: places)
  }
}
