import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Testing

@testable import Spool

/// A group that is archived by a copy is in its spool until each of its files is removed under the same proof as a file of its own.
@Suite(.slot, .bounded) struct GroupArchiveTests {
  private let place: Place
  private let spool: SpoolDirectory
  private let memory: TemporaryFolder
  private let archive: Archive
  private let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 99)
  private let name = FileName("run")

  init() throws {
    place = try Place()
    spool = try SpoolDirectory(place.options())
    memory = try TemporaryFolder(inMemory: true)
    archive = Archive(path: memory.path)
    for file in ["a", "sub/b", "run.done"] {
      let path = URL(filePath: spool.path(id, name).text + "/" + file)
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("content of \(file)".utf8).write(to: path)
      try place.awaitNoWriter(of: path.path)
    }
  }

  private func files() throws -> (files: [GroupFile], sum: GroupSum) {
    let pages = try spool.held().groupPages(claim)
    return (try pages.next(upTo: 10), pages.sum)
  }

  private func archiveGroup(_ sum: GroupSum) throws -> ArchiveMove {
    try spool.held().archiveGroup(claim, holding: sum, job: JobNumber(rawValue: 42), in: archive)
  }

  private var claim: ClaimReference {
    ClaimReference(id, name, .group(Parcel.Group(marker: "*.done", files: nil)))
  }

  private func remove(_ files: [GroupFile]) throws -> Disposal? {
    try spool.held().end(files, of: claim, on: spool.terms(.longAgo), removing: true) { file, now throws(FileError) in
      now.mayHoldBytes(of: file.identity)
    }
  }

  private var left: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: spool.path(id, name).text).sorted() }
  }

  /// A program with an open descriptor, or with its working directory in the group, writes once the copy is compared.
  @Test(arguments: ["sub/b", "sub/new"]) func writesAfterCopyStay(late: String) throws {
    let (files, sum) = try files()
    #expect(try archiveGroup(sum) == .copied)
    #expect(try left == ["a", "run.done", "sub", "sub/b"])
    let path = spool.path(id, name).text + "/" + late
    try Data("late".utf8).write(to: URL(filePath: path))
    try place.awaitNoWriter(of: path)
    let refusal = try remove(files.sorted { $0.path.text < $1.path.text })
    if case .changed = refusal {} else { #expect(refusal == nil && late == "sub/new") }
    #expect(try !spool.held().removeEmptyGroup(claim))
    #expect(try left == ["sub", late])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "late")
    let copied = try FileManager.default.subpathsOfDirectory(atPath: memory.path + "/run").sorted()
    #expect(copied == ["a", "run.done", "sub", "sub/b"])
    let new = JobID(high: 0x0193_9F5C_7B1A_7C3E, low: 1)
    #expect(
      try spool.held().readmit(claim, as: new).group?.files == 1)
    #expect(try place.claimed == ["\(new)~run"], "no mark is left of the copy")
  }

  @Test(arguments: [true, false]) func releasesGroupOnce(isBeside: Bool) throws {
    let path = isBeside ? place.root + "/outside" : memory.path
    let target = try Directory(path: path)
    for _ in 1...2 { try spool.held().release(claim, into: target) }
    let released = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
    #expect(released == ["run", "run/a", "run/run.done", "run/sub", "run/sub/b"])
    #expect(try left == ["a", "run.done", "sub", "sub/b"], "it stands until the release is committed")
    try Data("other".utf8).write(to: URL(filePath: path + "/run/a"), options: .atomic)
    let error = #expect(throws: FileError.self) { try spool.held().release(claim, into: target) }
    #expect(error?.errno == EEXIST)
  }

  /// The deepest path that a walk takes has 512 directories; a process may have fewer descriptors.
  @Test func deepGroupNeedsFewDescriptors() async throws {
    await #expect(processExitsWith: .success) {
      let test = try GroupArchiveTests()
      let deep = Array(repeating: "d", count: 400).joined(separator: "/")
      let path = test.spool.path(test.id, test.name).text + "/" + deep
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data("deep".utf8).write(to: URL(filePath: path + "/file"))
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let (files, sum) = try test.files()
      #expect(try test.archiveGroup(sum) == .copied)
      #expect(try test.archiveGroup(sum) == .copied, "it is found to be there")
      #expect(try test.remove(files) == nil)
      #expect(try test.spool.held().removeEmptyGroup(test.claim))
      #expect(FileManager.default.fileExists(atPath: test.memory.path + "/run/" + deep + "/file"))
      #expect(try LockedSpool.remove(Array("run".utf8), from: Directory(path: test.memory.path), withFiles: true))
    }
  }
}
