import ChildProcesses
import Foundation
import Jobs
import Linux
import Testing

@testable import Spool

/// The archive of a shared spool, on another file system, after another host.
@Suite(.slot, .bounded) struct SharedArchiveTests {
  private let place: Place
  private let spool: SpoolDirectory
  private let memory: MemoryFolder
  private let archive: Archive
  private let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)

  init() throws {
    place = try Place()
    memory = try MemoryFolder()
    var options = place.options(settle: .zero, settleUnseen: .zero)
    options.isShared = true
    let daemon = LockHolder(host: "here", pid: 1, ledger: "ledger")
    let held = try LockedSpool.open(options, daemon)
    spool = try SpoolDirectory(options, by: daemon)
    spool.use(held)
    archive = try Archive(path: memory.path, of: options)
  }

  private func claim() throws -> FileIdentity {
    try place.prepare(Array("a.pdf".utf8))
    try FileManager.default.moveItem(
      atPath: place.root + "/outside/a.pdf", toPath: spool.path(id, FileName("a.pdf")).text)
    return try spool.identity(id, FileName("a.pdf"))
  }

  private func dispose(_ identity: FileIdentity, job: Int64) throws(FileError) -> Disposal {
    try spool.dispose(
      id, FileName("a.pdf"), expecting: identity, claimedAt: .longAgo, job: JobNumber(rawValue: job), archive: archive)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: memory.path).sorted() }
  }

  /// A host was cut before it removed the file, whose copy has its name. To its successor the job has another number.
  @Test func findsCopyOfOtherHost() throws {
    try Data("other".utf8).write(to: URL(filePath: memory.path + "/a.pdf"))
    #expect(try dispose(try claim(), job: 42) == .removed)
    try Data().write(to: URL(filePath: place.path + "/.waybill/\(id).archived"))
    #expect(try dispose(try claim(), job: 7) == .removed)
    #expect(try names == ["a.\(id).pdf", "a.pdf"])
    #expect(try place.claimed == ["holder"])
  }

  /// Copying may take so long that another host has gone on meanwhile.
  @Test func lostHoldArchivesNothing() throws {
    let identity = try claim()
    try FileManager.default.removeItem(atPath: place.path + "/.waybill/lock")
    #expect(throws: FileError.self) { try dispose(identity, job: 42) }
    #expect(try names == [])
    #expect(try place.claimed == ["\(id)~a.pdf", "holder"], "without a mark")
  }

  /// The document has a name that is not known here, and another document stands under its own.
  @Test func sidecarAvoidsOtherDocumentsName() throws {
    let pattern = try SidecarPattern("{name}.json")
    try place.drop("a.pdf.json", "{}")
    let held = try spool.held()
    #expect(try held.claimSidecar(pattern, of: FileName("a.pdf"), from: held.spool, as: id) != nil)
    let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
    _ = try spool.publish(StoredRecord(StoredLink(link: "l", receipt: nil, body: [1]), of: identity), id)
    try Data("other".utf8).write(to: URL(filePath: memory.path + "/a.pdf"))
    let stranded = try #require(try spool.strandedSidecars().next(upTo: 1).first)
    #expect(try spool.endStranded(stranded, archive: archive) == .ended)
    #expect(try names == ["a.\(id).pdf.json", "a.pdf"])
  }
}
