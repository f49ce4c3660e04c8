import ChildProcesses
import Foundation
import Glibc
import Jobs
import Linux
import Spool
import Testing

@Suite(.slot, .bounded) struct ClaimedFilesTests {
  let place: Place
  let spool: SpoolDirectory
  let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)

  init() throws {
    place = try Place()
    spool = try SpoolDirectory(place.options())
  }

  private func claim(_ name: FileName, _ text: String = "content") throws -> FileIdentity {
    try place.prepare(name.bytes, text)
    var path = spool.path(id, name).bytes[...]
    let last = try #require(path.lastIndex(of: UInt8(ascii: "/")))
    let target = Array(path[(last + 1)...])
    path = path[..<last]
    let directory = String(decoding: path, as: UTF8.self)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Directory(path: place.root + "/outside").rename(name.bytes, into: Directory(path: directory), as: target)
    return try spool.identity(id, name)
  }

  private let names = [FileName("scan 1.pdf"), FileName(bytes: [UInt8](repeating: 0xE4, count: 250))]

  /// However many stand there, no more of them are in memory than a batch has, also where they are renamed meanwhile.
  @Test func readsClaimsInBatches() throws {
    var names: Set<String> = []
    for number in 1...1000 {
      let name = number.isMultiple(of: 3) ? "folder/\(number).pdf" : "\(number).pdf"
      let id = JobID(high: 0x0193_4B2F_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
      let path = place.path + "/.waybill/\(id)" + (number.isMultiple(of: 3) ? "/folder" : "")
      if number.isMultiple(of: 3) {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: path + "/\(number).pdf", contents: nil))
      } else {
        #expect(FileManager.default.createFile(atPath: path + "~\(number).pdf", contents: nil))
      }
      names.insert(name)
    }
    let batches = try spool.claimBatches()
    var found: Set<String> = []
    while true {
      let batch = try batches.next(upTo: 64)
      if batch.isEmpty { break }
      #expect(batch.count <= 64)
      for claim in batch { found.insert(claim.dropped.text) }
    }
    #expect(found == names)
  }

  @Test func leavesNonClaimsAlone() throws {
    let claims = place.path + "/.waybill"
    try FileManager.default.createSymbolicLink(atPath: claims + "/\(id)~link", withDestinationPath: "/etc/passwd")
    try FileManager.default.createDirectory(atPath: claims + "/\(id)", withIntermediateDirectories: false)
    #expect(FileManager.default.createFile(atPath: claims + "/stray", contents: nil))
    #expect(FileManager.default.createFile(atPath: claims + "/\(id)~", contents: nil))
    #expect(try spool.claimed() == [])
    // The empty directory of a claim that was cut short is gone, the rest is not.
    #expect(try place.claimed == ["\(id)~", "\(id)~link", "stray"])
  }

  @Test func removesUnchangedFile() throws {
    for name in names {
      let identity = try claim(name)
      #expect(try spool.dispose(id, name, expecting: identity) == .removed)
      #expect(try spool.dispose(id, name, expecting: identity) == .alreadyGone)
    }
    #expect(try place.claimed == [])
  }

  @Test func leavesSymlinkInClaimUntouched() throws {
    let name = names[0]
    let identity = try claim(name)
    let path = spool.path(id, name).text
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
    let error = #expect(throws: FileError.self) { try spool.open(id, name) }
    #expect(error?.errno == ELOOP)
    guard case .changed = try spool.dispose(id, name, expecting: identity) else {
      Issue.record("a link was taken for the file")
      return
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/etc/passwd")
  }

  @Test func keepsReplacingFile() throws {
    let name = names[0]
    let identity = try claim(name)
    try FileManager.default.removeItem(atPath: spool.path(id, name).text)
    _ = try claim(name, "another")
    let now = try spool.identity(id, name)
    #expect(try spool.dispose(id, name, expecting: identity) == .changed(now))
    #expect(try spool.identity(id, name) == now)
  }
}
