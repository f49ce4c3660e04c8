import ChildProcesses
import Foundation
import Jobs
import Linux
import Testing

@testable import Spool

@Suite(.slot, .bounded) struct SidecarClaimTests {
  let place: Place
  let collector = Collector()

  init() throws { place = try Place() }

  private func expectPair(_ claim: Claim?, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(claim?.sidecar?.content == .bytes(Array(text.utf8)), sourceLocation: sourceLocation)
  }

  @Test(arguments: [true, false], ["{name}.json", "{stem}.json", "x-{name}.txt"])
  func claimsPairTogetherInEitherOrder(isDocumentFirst: Bool, pattern: String) async throws {
    let spool = try SpoolDirectory(try place.paired(pattern))
    let sidecar = try SidecarPattern(pattern).sidecar(of: FileName("a.pdf")).text
    let names = isDocumentFirst ? ["a.pdf", sidecar] : [sidecar, "a.pdf"]
    let texts = ["a.pdf": "document", sidecar: "description"]
    for ways in [[true, true], [true, false], [false, true], [false, false]] {
      let count = collector.claims.count
      try await running(spool, collector) {
        for (name, isMoved) in zip(names, ways) {
          let text = texts[name] ?? ""
          if isMoved { try place.drop(name, text) } else { try place.write(name, text) }
          if name == names[0] {
            let reason: FileStatus.Reason = isDocumentFirst ? .awaitingSidecar : .awaitingDocument
            try await until("the first to wait") { await spool.status(of: FileName(name))?.reason == reason }
            try await until("it to be counted") { spool.status.waiting[reason.rawValue] == 1 }
            #expect(spool.status.waiting.count == 1)
            #expect(collector.claims.count == count)
          }
        }
        try await until("both to be claimed") { collector.claims.count > count }
        try await until("nothing to be counted") { spool.status.waiting.isEmpty }
      }
      let claim = collector.claims.last
      expectPair(claim, "description")
      #expect(try place.left == [])
      let id = try #require(claim?.id)
      let sidecar = try #require(claim?.sidecar?.sidecar)
      try spool.held().removeUnchecked(ClaimReference(id, FileName("a.pdf"), .withSidecar(sidecar)))
    }
  }

  @Test func waitsForSidecarBeingWritten() async throws {
    let spool = try SpoolDirectory(try place.paired("{name}.json", wait: .milliseconds(50)))
    try await running(spool, collector) {
      let open = try place.create("a.pdf.json")
      try open.write(Array("{".utf8), path: "a.pdf.json")
      try place.drop("a.pdf")
      try await until("the document to wait") {
        await spool.status(of: FileName("a.pdf"))?.reason == .awaitingSidecar
      }
      // longer than the wait for one that is missing
      try await until("the sidecar to count as open") {
        await spool.status(of: FileName("a.pdf.json"))?.reason == .open
      }
      try await Task.sleep(for: .milliseconds(300))
      #expect(collector.claims.isEmpty)
      try open.write(Array("}".utf8), path: "a.pdf.json")
      _ = consume open
      try await until("both to be claimed") { collector.admitted("a.pdf") }
    }
    expectPair(collector.claims.first, "{}")
  }

  private func ask() {
    collector.hooks.asker = { [collector] in
      collector.claims.first.map { ClaimReference($0.id, $0.dropped) }
    }
  }

  /// It is handed over with its document, under the same id; if no job asks, it stays in the spool.
  @Test(arguments: [true, false]) func lateSidecarIsClaimedForDocumentThatAsks(asks: Bool) async throws {
    let spool = try SpoolDirectory(try place.paired(wait: .zero))
    if asks { ask() }
    try await running(spool, collector) {
      try await place.drop("a.pdf", claimedBy: collector)
      try place.write("a.pdf.json", "{}")
      try await until("the sidecar to be seen") {
        if asks { return !collector.returned.isEmpty }
        return await spool.status(of: FileName("a.pdf.json"))?.reason == .awaitingDocument
      }
      try await until("what is left to be counted") { spool.status.untaken == (asks ? 0 : 1) }
    }
    #expect(try place.left == (asks ? [] : ["a.pdf.json"]))
    #expect(collector.claims.count == 1 && collector.returned.map(\.id) == (asks ? collector.claims.map(\.id) : []))
    guard asks else { return }
    expectPair(collector.returned.first, "{}")
    // The same is found at the next start, whatever became of the job. If that does not want it, it is put back.
    let claim = try #require(try spool.claimed().first)
    expectPair(claim, "{}")
    #expect(try spool.putBackSidecar(of: claim) == nil)
    #expect(try place.left == ["a.pdf.json"] && spool.claimed().first?.sidecar == nil)
  }

  @Test func lateSidecarIsThatOfDocumentInSpool() async throws {
    let spool = try SpoolDirectory(try place.paired(wait: .zero))
    ask()
    try await running(spool, collector) {
      try await place.drop("a.pdf", "old", claimedBy: collector)
      let open = try place.create("a.pdf")
      try place.drop("a.pdf.json", "{}")
      try await until("the sidecar to wait") {
        await spool.status(of: FileName("a.pdf.json"))?.reason == .awaitingDocument
      }
      try open.write(Array("new".utf8), path: "a.pdf")
      _ = consume open
      try await until("the pair to be claimed") { collector.claims.count == 2 }
    }
    #expect(collector.returned.isEmpty)
    expectPair(collector.claims.last, "{}")
  }

  /// What a crash leaves between the two renames.
  @Test(arguments: ["{name}.json", "{stem}.json"], ["", "sub/deep/"])
  func putsBackSidecarWithoutDocument(pattern: String, path: String) throws {
    var options = try place.paired(pattern)
    options.recursive = true
    let spool = try SpoolDirectory(options)
    if !path.isEmpty {
      try FileManager.default.createDirectory(atPath: place.path + "/" + path, withIntermediateDirectories: true)
    }
    let document = FileName(path + "a.pdf")
    let sidecar = try #require(options.sidecar).sidecar(of: document)
    try Data("{}".utf8).write(to: URL(filePath: "\(place.path)/\(sidecar.text)"))
    let held = try spool.held()
    let folder = path.isEmpty ? try held.spool : try held.spool.directory(below: document.path)
    let id = try #require(JobID("0193a000-0000-7000-8000-000000000001"))
    #expect(try held.claimSidecar(try #require(options.sidecar), of: document, from: folder, as: id) != nil)
    #expect(!FileManager.default.fileExists(atPath: "\(place.path)/\(sidecar.text)"))

    let stranded = try spool.strandedSidecars().next(upTo: 10)
    #expect(stranded.map(\.document) == [document] && stranded.map(\.id) == [id])
    // another one of its name is not replaced
    try Data("new".utf8).write(to: URL(filePath: "\(place.path)/\(sidecar.text)"))
    #expect(try spool.putBack(stranded[0])?.cause == .sidecar)
    #expect(try spool.strandedSidecars().next(upTo: 10).count == 1)
    try FileManager.default.removeItem(atPath: "\(place.path)/\(sidecar.text)")
    #expect(try spool.putBack(stranded[0]) == nil)
    #expect(try Data(contentsOf: URL(filePath: "\(place.path)/\(sidecar.text)")) == Data("{}".utf8))
    #expect(try spool.strandedSidecars().next(upTo: 10) == [])
  }

  /// A link that its dropper keeps elsewhere is no second place of ours: it would be removed, and the message would say that it is in
  /// the spool again.
  @Test func putsBackSidecarLinkedByDropper() throws {
    let options = try place.paired("{name}.json")
    let spool = try SpoolDirectory(options)
    let pattern = try #require(options.sidecar)
    let (document, other) = (FileName("a.pdf"), "\(place.root)/outside/link")
    try place.drop("a.pdf.json", "{}")
    try FileManager.default.linkItem(atPath: place.path + "/a.pdf.json", toPath: other)
    let held = try spool.held()
    let ids = try ["1", "2"].map { try #require(JobID("0193a000-0000-7000-8000-00000000000" + $0)) }
    #expect(try held.claimSidecar(pattern, of: document, from: held.spool, as: ids[0]) != nil)
    #expect(try held.putBack(pattern, ids[0], document, into: held.spool))
    #expect(try place.left == ["a.pdf.json"])
    // the same after a crash
    #expect(try held.claimSidecar(pattern, of: document, from: held.spool, as: ids[0]) != nil)
    let stranded = try spool.strandedSidecars().next(upTo: 10)
    #expect(stranded.map(\.stands) == [false])
    #expect(try spool.putBack(stranded[0]) == nil)
    #expect(try place.left == ["a.pdf.json"])
    // a place of another id is one
    #expect(try held.claimSidecar(pattern, of: document, from: held.spool, as: ids[0]) != nil)
    try held.linkSidecar(pattern, ids[0], document, to: ids[1])
    let both = try spool.strandedSidecars().next(upTo: 10)
    #expect(both.map(\.stands) == [true, true])
    #expect(try spool.putBack(both[0]) == nil)
    #expect(try spool.strandedSidecars().next(upTo: 10).map(\.stands) == [false])
    #expect(try place.left == [])
  }
}
