import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Messages
import Seams
import Testing

@testable import Spool

enum ArchivePlace: CaseIterable, CustomTestStringConvertible {
  case beside, elsewhere

  var testDescription: String { self == .beside ? "on the same file system" : "across file systems" }
}

@Suite(.slot, .bounded) struct ArchiveTests {
  let place: Place
  let spool: SpoolDirectory
  let memory: TemporaryFolder
  let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)
  let job = JobNumber(rawValue: 42)

  init() throws {
    place = try Place()
    spool = try SpoolDirectory(place.options())
    memory = try TemporaryFolder(inMemory: true)
    try FileManager.default.createDirectory(atPath: place.root + "/archive", withIntermediateDirectories: false)
    let devices = try [place.path, memory.path].map { try Directory(path: $0).facts().device }
    try #require(devices[0] != devices[1], "/tmp and /dev/shm are one file system here")
  }

  private func archive(_ place: ArchivePlace) throws -> Archive {
    Archive(path: place == .beside ? self.place.root + "/archive" : memory.path)
  }

  private func claim(_ name: String, _ text: String = "content", id: JobID? = nil) throws -> FileIdentity {
    try place.prepare(Array(name.utf8), text)
    let path = spool.path(id ?? self.id, FileName(name)).text
    try FileManager.default.moveItem(atPath: place.root + "/outside/" + name, toPath: path)
    return try spool.identity(id ?? self.id, FileName(name))
  }

  private func archive(_ name: String, _ identity: FileIdentity, in archive: Archive) throws -> Disposal {
    try spool.dispose(id, FileName(name), expecting: identity, job: job, archive: archive)
  }

  @Test(arguments: ArchivePlace.allCases)
  func archivingKeepsAttributes(where place: ArchivePlace) async throws {
    let archive = try archive(place)
    _ = try claim("scan.pdf")
    try await Command.require([
      "python3", "-c", "import os,sys; os.setxattr(sys.argv[1], 'user.waybill.customer', b'4711')",
      spool.path(id, FileName("scan.pdf")).text,
    ])
    let identity = try spool.identity(id, FileName("scan.pdf"))
    #expect(try self.archive("scan.pdf", identity, in: archive) == .removed)
    let file = try Directory(path: archive.path).open(Array("scan.pdf".utf8))
    #expect(
      try file.attributes(where: { $0.hasPrefix("user.") }, count: 9, bytes: 999).values
        == ["user.waybill.customer": Array("4711".utf8)])
  }

  @Test func shortensStemOfLongName() {
    let long = String(repeating: "ä", count: 125) + ".pdf"
    let choices = ArchivedName(FileName(long), job: job, id: id).choices
    #expect(choices[0] == Array(long.utf8))
    #expect(choices[1] == Array((String(repeating: "ä", count: 124) + ".42.pdf").utf8))
    #expect(choices.allSatisfy { $0.count <= 255 && String(validating: $0, as: UTF8.self) != nil })
    let allTail = "a." + String(repeating: "x", count: 253)
    #expect(ArchivedName(FileName(allTail), job: job, id: id).choices[1].count == 255)
    // The name of a sidecar is longer.
    for name in [long, allTail] {
      let ofPair = ArchivedName(FileName(name), job: job, id: id, longest: 250).choices.dropFirst()
      #expect(ofPair.allSatisfy { $0.count <= 250 })
    }
  }

  @Test(arguments: ArchivePlace.allCases)
  func directoryGivesWayToArchivedFile(where there: ArchivePlace) throws {
    let archive = try archive(there)
    try "first".write(toFile: archive.path + "/scan", atomically: false, encoding: .utf8)
    let name = FileName("scan/x.pdf")
    let claimed = URL(filePath: spool.path(id, name).text)
    try FileManager.default.createDirectory(
      at: claimed.deletingLastPathComponent(), withIntermediateDirectories: true)
    try place.prepare(Array("x.pdf".utf8))
    try FileManager.default.moveItem(atPath: place.root + "/outside/x.pdf", toPath: claimed.path)
    #expect(try self.archive(name.text, try spool.identity(id, name), in: archive) == .removed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: archive.path + "/scan.42") == ["x.pdf"])
  }

  #if DEBUG
    /// Attributes of XFS may be larger than ext4 takes them, which says that there is no space.
    @Test func archivesDespiteUnsupportedAttributes() throws {
      let archive = try archive(.elsewhere)
      _ = try claim("scan.pdf")
      let path = spool.path(id, FileName("scan.pdf")).text
      try Directory(path: place.path + "/.waybill").openToAppend(Array("\(id)~scan.pdf".utf8), permissions: 0o600)
        .setAttribute("user.note", Array("large".utf8), path: path)
      try place.awaitNoWriter(of: path)
      let identity = try spool.identity(id, FileName("scan.pdf"))
      let calls = try #require(FailingCalls(plan: "setxattr:.waybill-#:1=ENOSPC+"))
      #expect(try calls.watch { try self.archive("scan.pdf", identity, in: archive) } == .removed)
      #expect(calls.hasFailed)
      #expect(try FileManager.default.contentsOfDirectory(atPath: archive.path) == ["scan.pdf"])
      #expect(try String(contentsOfFile: archive.path + "/scan.pdf", encoding: .utf8) == "content")
    }

    /// In the unit each directory that may be written to is a mount of its own: a link is refused, and the number of the device is the
    /// same.
    @Test func finishesInterruptedReleaseByCopy() throws {
      _ = try claim("scan.pdf")
      let target = try Directory(path: place.root + "/archive")
      let calls = try #require(FailingCalls(plan: "linkat:scan.pdf:1=EXDEV+"))
      try calls.watch { try spool.held().release(ClaimReference(id, FileName("scan.pdf")), into: target) }
      #expect(calls.hasFailed)
      try spool.held().release(ClaimReference(id, FileName("scan.pdf")), into: target)
      #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["scan.pdf"])
      try "another".write(toFile: target.path + "/scan.pdf", atomically: false, encoding: .utf8)
      let error = #expect(throws: FileError.self) {
        try spool.held().release(ClaimReference(id, FileName("scan.pdf")), into: target)
      }
      #expect(error?.code == "EEXIST")
    }
  #endif

  @Test func unusableArchiveNamesRemedy() throws {
    func remedy(_ path: String) -> String? {
      let archive = Archive(path: path)
      let error = #expect(throws: FileError.self) { try archive.open() }
      return error.flatMap { archive.remedy(for: $0)?.text }
    }
    #expect(remedy(place.root + "/none")?.contains("install -d") == true)
    try place.prepare(Array("file".utf8))
    #expect(remedy(place.root + "/outside/file") == "name a directory")
  }
}
