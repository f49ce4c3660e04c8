import Foundation
import Glibc
import Linux
import Testing

/// Small files that get their name last.
struct SmallFileCreationTests {
  private func create(_ path: String) throws(FileError) {
    try createSmallFile(path: path, Array("text\n".utf8), owner: (geteuid(), getegid()), permissions: 0o440)
  }

  @Test func replacesNothing() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/key"
    try create(path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "text\n")
    #expect(try scratch.directory.facts(of: bytes("key")).permissions == 0o440)
    let error = #expect(throws: FileError.self) { try create(path) }
    #expect(error?.code == "EEXIST")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["key"])
  }

  /// A kill right before the rename leaves the bytes under another name: the next call for the same file removes them, and leaves
  /// those of a process that still works, and those of other files.
  @Test func removesRemainsOfKilledCalls() throws {
    let scratch = try Scratch()
    let gone = Int32.max
    let kept = [".key.waybill-1", ".other.waybill-\(gone)", ".key.waybill-", ".key.waybill-x", ".key.waybill--\(gone)"]
    for name in kept + [".key.waybill-\(gone)"] { try scratch.write("secret", bytes(name)) }
    try create(scratch.path + "/key")
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: scratch.path)) == Set(kept + ["key"]))
  }
}
