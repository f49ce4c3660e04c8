import Foundation
import Testing

@testable import ChildProcesses

@Suite struct TemporaryFolderTests {
  @Test func takenNameIsNotUsedAgain() throws {
    let (taken, free) = (UUID().uuidString, UUID().uuidString)
    let first = try TemporaryFolder { _ in taken }
    var names = [taken, free]
    let second = try TemporaryFolder { _ in names.removeFirst() }
    #expect(first.path.hasSuffix(taken) && second.path.hasSuffix(free))
  }
}
