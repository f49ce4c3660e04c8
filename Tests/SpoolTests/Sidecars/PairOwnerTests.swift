import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Messages
import Testing

@testable import Spool

@Suite(.slot, .bounded) struct PairOwnerTests {
  let place: Place
  let collector = Collector()

  init() throws { place = try Place() }

  private func drop(_ name: String, of owner: UInt32) throws {
    try place.prepare(Array(name.utf8), name)
    try #require(unsafe chown(place.root + "/outside/" + name, owner, owner) == 0)
    try place.moveIn(Array(name.utf8))
  }

  @Test func pairsHaveOneOwner() {
    let own = ProcessRights.user
    for (one, other, isPair) in [
      (1001, 1001, true), (1001, 1002, false), (0, 1001, true), (1001, 0, true), (own, 1001, true), (1002, own, true),
      (nil, 1001, false),
    ] as [(UInt32?, UInt32?, Bool)] {
      #expect(LockedSpool.makePair(one, other) == isPair, "\(one ?? 0) \(other ?? 0)")
    }
  }

  @Test(.needs(.otherUser), arguments: [true, false]) func sidecarOfAnotherStays(isFound: Bool) async throws {
    let spool = try SpoolDirectory(try place.paired(wait: .milliseconds(200)))
    if isFound {
      try drop("a.pdf.json", of: 65_533)
      try drop("a.pdf", of: 65_534)
    }
    try await running(spool, collector) {
      if !isFound {
        try drop("a.pdf.json", of: 65_533)
        try await until("it to wait") { await spool.status(of: FileName("a.pdf.json"))?.reason == .awaitingDocument }
        try drop("a.pdf", of: 65_534)
      }
      try await until("the document to be taken") { collector.admitted("a.pdf") }
      #expect(collector.claims[0].sidecar == nil && collector.claims.count == 1)
      #expect(try place.left == ["a.pdf.json"])
      try await until("it to be told") { collector.problems.contains { $0.cause == .sidecar } }
      try drop("a.pdf", of: 65_533)
      try await until("its own document to be taken") { collector.claims.count == 2 }
    }
    #expect(collector.claims[1].sidecar?.content == .bytes(Array("a.pdf.json".utf8)))
    #expect(try place.left == [])
  }

  /// A document that is replaced by another user's at the last moment is not taken with the sidecar.
  @Test(.needs(.otherUser)) func ownersCountAtTheClaim() throws {
    let held = try LockedSpool.open(place.options())
    let pattern = try SidecarPattern("{name}.json")
    let (id, name) = (JobID(high: 1, low: 1), FileName("a.pdf"))
    try drop("a.pdf", of: 65_534)
    try drop("a.pdf.json", of: 65_533)
    let owner = try held.claimSidecar(pattern, of: name, from: held.spool, as: id)
    #expect(owner == 65_533)
    guard case .gone = try held.claim(name, from: held.spool, as: id, sidecarOf: owner) else {
      Issue.record("it was taken")
      return
    }
    #expect(try place.left == ["a.pdf"])
    #expect(try held.putBack(pattern, id, name, into: held.spool))
    #expect(try place.left == ["a.pdf", "a.pdf.json"])
  }

  /// So many sidecars without a document that they do not fit into the table: a pair is taken, and then there is nothing to do.
  @Test func manyLoneSidecarsKeepNoPairOut() async throws {
    let folder = try Directory(path: place.path)
    for number in 0..<17_000 { _ = try folder.create(Array("\(number).pdf.json".utf8), permissions: 0o600) }
    var options = try place.paired(wait: Place.never)
    options.scanInterval = Place.never
    let spool = try SpoolDirectory(options)
    try await running(spool, collector) {
      try await until("the sidecars to wait") {
        spool.status.names[.awaitingDocument] == 17_000 && spool.status.scans > 0
      }
      try await place.drop("16999.pdf", claimedBy: collector)
      let rounds = collector.waitCount
      try await Task.sleep(for: .milliseconds(200))
      #expect(collector.waitCount <= rounds + 2)
    }
    #expect(collector.claims.first?.sidecar != nil)
  }
}
