import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Seams
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

  /// A spool with a claim of a file that was open.
  private func keptClaim(_ place: Place) async throws -> (held: LockedSpool, claim: Claim, opened: OpenFile) {
    // A program that another test starts in the moment of the trial has a copy of the trial file's descriptor.
    let held = try await until("a trial that shows leases") {
      // Room of its own: that of the process may be taken up by other tests.
      let held = try LockedSpool.open(place.options(), room: KeptFiles.Room(for: 8))
      return held.grantsLeases ? held : nil
    }
    try drop("content", place)
    let opened = try held.spool.open(Self.name.bytes)
    return (held, try claim(held, opened), opened)
  }

  /// The file that the lease was asked for is read, sent and removed.
  @Test func openFileIsKeptUntilDisposal() async throws {
    let place = try Place()
    let (held, claim, opened) = try await keptClaim(place)
    let reference = ClaimReference(claim.id, claim.dropped)
    for _ in 1...2 { #expect(try held.openToSend(reference, expecting: claim.identity) === opened) }
    #expect(held.kept.use(claim.id) === opened)
    try held.removeUnchecked(reference)
    #expect(held.kept.use(claim.id) == nil)
  }

  @Test func openFileFollowsClaimToAnotherID() async throws {
    let place = try Place()
    let (held, claim, opened) = try await keptClaim(place)
    let wanted = JobID(high: Self.id.high, low: Self.id.low + 1)
    let adopted = try held.adopt(claim, as: wanted).get()
    #expect(held.kept.use(claim.id) == nil)
    let reference = ClaimReference(wanted, claim.dropped)
    #expect(try held.openToSend(reference, expecting: adopted.identity) === opened)
    // With other facts than those of the claim, the name decides.
    #expect(try held.openToSend(reference, expecting: claim.identity) !== opened)
  }

  /// The file that stands in the place of the open one is sent, or it is missed, as if nothing were open.
  @Test func changedPlaceIsOpenedByName() async throws {
    let changes: [(String, (String) throws -> Void)] = [
      ("replaced", { path in try Data("other".utf8).write(to: URL(filePath: path), options: .atomic) }),
      (
        "another mode",
        { path in try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path) }
      ),
      ("moved away", { path in try FileManager.default.moveItem(atPath: path, toPath: path + ".away") }),
    ]
    for (words, change) in changes {
      let place = try Place()
      let (held, claim, opened) = try await keptClaim(place)
      let reference = ClaimReference(claim.id, claim.dropped)
      let (directory, name) = try held.location(of: reference)
      try change("\(directory.path)/\(FileName(bytes: name).text)")
      do {
        let file = try held.openToSend(reference, expecting: claim.identity)
        #expect(file !== opened, "\(words)")
        #expect(try file.facts() == held.facts(reference), "\(words)")
      } catch {
        #expect(error.errno == ENOENT && words == "moved away", "\(words): \(error)")
      }
    }
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
