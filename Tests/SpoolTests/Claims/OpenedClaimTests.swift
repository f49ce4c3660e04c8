import ChildProcesses
import Foundation
import Jobs
import Linux
import Testing

@testable import Spool

/// Claims of files that were opened to ask who writes to them: the open file is read, if it is the one that was claimed.
@Suite struct OpenedClaimTests {
  private static let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)
  private static let name = FileName("a.pdf")

  /// Puts a file with an attribute into the spool. It replaces what has its name there.
  private func drop(_ text: String, _ place: Place) throws {
    let spool = try Directory(path: place.path)
    let file = try spool.create(Array("new".utf8), permissions: 0o600)
    try file.write(Array(text.utf8), path: "new")
    try file.setAttribute("user.waybill.n", Array(text.utf8), path: "new")
    try spool.rename(Array("new".utf8), replacing: Self.name.bytes)
  }

  private func claim(_ held: LockedSpool, _ opened: OpenFile?) throws -> Claim {
    let taking = try held.claim(Self.name, from: held.spool, as: Self.id, opened: opened)
    guard case .taken(let claim, nil) = taking else { throw Missing("it is not claimed: \(taking)") }
    return claim
  }

  @Test func replacedFileIsReadItself() throws {
    let place = try Place()
    let held = try SpoolDirectory(place.options()).held()
    try drop("first", place)
    let opened = try held.spool.open(Self.name.bytes)
    try drop("the second", place)
    let claim = try claim(held, opened)
    #expect(claim.attributes == ["user.waybill.n": Array("the second".utf8)])
    #expect(claim.identity.size == 10)
    #expect(try opened.facts().size == 5, "the first one has no name any more")
  }

  #if DEBUG
    /// Both have the same facts and attributes, and what is open needs no look by its name.
    @Test func openFileSavesCalls() throws {
      func claimed(opening: Bool) throws -> (claim: Claim, facts: FileFacts, calls: UInt64) {
        let place = try Place()
        let held = try SpoolDirectory(place.options()).held()
        try drop("content", place)
        let opened = opening ? try held.spool.open(Self.name.bytes) : nil
        let calls = try #require(FailingCalls())
        let taken = try calls.watch { try claim(held, opened) }
        return (taken, try held.facts(ClaimReference(Self.id, Self.name)), calls.count)
      }
      let (byName, byFile) = (try claimed(opening: false), try claimed(opening: true))
      for (claim, facts, _) in [byName, byFile] {
        #expect(claim.attributes == ["user.waybill.n": Array("content".utf8)])
        #expect(claim.identity == FileIdentity(facts))
      }
      #expect(byFile.calls < byName.calls)
    }
  #endif
}
