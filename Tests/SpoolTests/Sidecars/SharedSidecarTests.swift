import ChildProcesses
import Foundation
import Jobs
import Linux
import Testing

@testable import Spool

/// Pairs in a shared spool whose host was between their two files.
@Suite(.slot, .bounded) struct SharedSidecarTests {
  private let place: Place
  private let pattern: SidecarPattern
  private let spool: SpoolDirectory
  private let held: LockedSpool
  private let document = FileName("a.pdf")
  private var sidecar: FileName { pattern.sidecar(of: document) }

  init() throws {
    place = try Place()
    pattern = try SidecarPattern("{name}.json")
    var options = place.options(settle: .zero, settleUnseen: .zero)
    options.sidecar = pattern
    options.isShared = true
    let daemon = LockHolder(host: "here", pid: 1, ledger: "ledger")
    held = try LockedSpool.open(options, daemon)
    spool = try SpoolDirectory(options, by: daemon)
    spool.use(held)
  }

  private func id() -> JobID {
    var random = SystemRandomNumberGenerator()
    return JobID.mint(at: Timestamp(microseconds: WallClock.nanoseconds / 1000), random: &random)
  }

  private func claimDocument(as id: JobID) throws -> Claim {
    try place.drop("a.pdf", "document")
    guard case .taken(let claim, _) = try held.claim(document, from: held.spool, as: id) else {
      throw FileError("claim", path: place.path, errno: 0)
    }
    return claim
  }

  private func claimSidecar(as id: JobID) throws {
    try place.drop("a.pdf.json", "{}")
    try #require(try held.claimSidecar(pattern, of: document, from: held.spool, as: id) != nil)
  }

  private var stranded: [SpoolDirectory.StrandedSidecar] {
    get throws { try spool.strandedSidecars().next(upTo: 10) }
  }

  private func record(_ id: JobID, of identity: FileIdentity) throws {
    _ = try spool.publish(StoredRecord(StoredLink(link: "l", receipt: nil, body: [1]), of: identity), id)
  }

  @Test func lateClaimedDocumentTakesSidecar() throws {
    let claim = try claimDocument(as: id())
    #expect(try spool.withSidecarInSpool(claim) == claim, "there is none")
    try place.drop("a.pdf.json", "{}")
    #expect(try spool.withSidecarInSpool(claim).sidecar?.content == .bytes(Array("{}".utf8)))
    #expect(try place.left == [] && stranded == [])
  }

  @Test func recordKeepsRegistrationIDOfLink() throws {
    let claim = try claimDocument(as: id())
    let link = StoredLink(link: "l", receipt: nil, body: [1], id: JobID(high: 9, low: 8))
    let record = StoredRecord(link, of: claim.identity)
    #expect(try spool.publish(record, claim.id) == record && spool.storedRecord(claim.id) == record)
  }

  /// It was sent without one, and the body that says so stands there.
  @Test func storedDocumentGetsNoLateSidecar() throws {
    let claim = try claimDocument(as: id())
    try record(claim.id, of: claim.identity)
    try place.drop("a.pdf.json", "{}")
    #expect(try spool.withSidecarInSpool(claim) == claim)
    #expect(try place.left == ["a.pdf.json"])
  }

  @Test func unclaimedDocumentsSidecarIsPutBack() throws {
    try claimSidecar(as: id())
    let found = try #require(try stranded.first)
    #expect(try spool.endStranded(found, archive: nil) == .unknown)
    #expect(try spool.putBack(found) == nil)
    #expect(try place.left == ["a.pdf.json"])
  }

  @Test(arguments: [true, false])
  func disposesOfSidecarAfterItsDocument(isArchived: Bool) throws {
    let id = id()
    try claimSidecar(as: id)
    let claim = try claimDocument(as: id)
    try record(id, of: claim.identity)
    let archive = isArchived ? Archive(path: place.root + "/outside") : nil
    // Another file has the name, so the document got one with its job's number.
    if isArchived {
      try Data("other".utf8).write(to: URL(filePath: place.root + "/outside/a.pdf.json"))
      #expect(
        try spool.dispose(
          id, document, expecting: claim.identity, claimedAt: .longAgo, job: JobNumber(rawValue: 7),
          archive: Archive(path: place.root + "/outside")) == .removed)
    } else {
      #expect(try spool.dispose(id, document, expecting: claim.identity, claimedAt: .longAgo) == .removed)
    }
    #expect(try spool.storedRecord(id) != nil, "it is there until all of the pair is gone")
    #expect(try spool.endStranded(try #require(try stranded.first), archive: archive) == .ended)
    #expect(try stranded == [] && place.left == [])
    #expect(try spool.recordIDs() == [])
    guard isArchived else { return }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.root + "/outside").sorted()
    #expect(names == ["a.\(id).pdf.json", "a.pdf", "a.pdf.json"], "nothing is replaced")
  }

  /// Another host may have ended the pair under that id, which the backend knows then.
  @Test func lostHoldGivesPairNewID() async throws {
    let watch = try SpoolWatch(spool, Collector().intake)
    #expect(await watch.idOfPair(document, begunAs: id()) == nil)
  }

  /// What stands beside it tells later what became of its document.
  @Test func sidecarCountsAsStanding() throws {
    let id = id()
    try claimSidecar(as: id)
    #expect(try spool.claimedIDs() == [id])
  }

  @Test func discardedJobsSidecarIsRemoved() throws {
    let id = id()
    try claimSidecar(as: id)
    try spool.setStop(Inheritance.Stop(.discarded), id)
    #expect(try spool.endStranded(try #require(try stranded.first), archive: nil) == .ended)
    #expect(try stranded == [] && place.left == [] && spool.recordIDs() == [])
  }

  /// Its document was taken away by hand.
  @Test(arguments: [Inheritance.Stop.Kind.cancelled, .aborted])
  func stoppedJobsSidecarIsPutBack(kind: Inheritance.Stop.Kind) throws {
    let id = id()
    try claimSidecar(as: id)
    try spool.setStop(Inheritance.Stop(kind), id)
    #expect(try spool.endStranded(try #require(try stranded.first), archive: nil) == .unknown)
  }

  /// The bytes of names and the receipts of a group's files come back as they were, however many there are.
  @Test func recordKeepsFilesOfGroup() throws {
    let id = id()
    let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
    let members = (0..<2000).map { number in
      GroupMember(
        path: FileName(bytes: [0xFF, UInt8(number % 250) + 1] + Array("\(number)".utf8)), identity: identity,
        receipt: number % 3 == 0
          ? nil
          : UploadReceipt(
            bucket: "b", key: "k\(number)", size: 3, etag: "e", version: nil, sha256: "s", checksum: nil,
            contentType: "t", uploadedAt: .longAgo))
    }
    let link = StoredLink(link: "l", receipt: nil, body: Array(repeating: 7, count: 300_000))
    let record = StoredRecord(
      link, of: identity, files: GroupProgress(files: 2000, stored: members.count { $0.receipt != nil }))
    #expect(try spool.publish(record, members: try StoredMembers.lines(members), id) == record)
    #expect(try spool.storedRecord(id) == record)
    let stored = try #require(try spool.storedMembers(id))
    #expect(stored.count == record.files)
    var read: [GroupMember] = []
    while case let page = try stored.next(upTo: 128), !page.isEmpty { read += page }
    #expect(read == members)
  }
}

extension SpoolWatch {
  /// The id of a pair that was begun before the hold was lost.
  fileprivate func idOfPair(_ document: FileName, begunAs id: JobID) -> JobID? {
    begunPairs.add(document, id, owner: nil, now: now)
    letGo()
    return begunPairs[document]
  }
}
