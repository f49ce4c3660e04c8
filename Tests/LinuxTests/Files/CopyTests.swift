import Foundation
import Linux
import Testing

struct CopyTests {
  @Test func copyKeepsBytesModeAndTime() throws {
    let scratch = try Scratch()
    let text = String(repeating: "0123456789", count: 300_000)
    try scratch.write(text, bytes("a"))
    let source = try OpenFile(following: bytes(scratch.path + "/a"))
    let copy = try scratch.directory.create(bytes("b"), permissions: 0o600)
    #expect(try copy.copy(from: source, path: "b"))
    try copy.setPermissions(0o666, path: "b")
    for time in [1_700_000_000_123_456_789, -1] as [Int64] {
      try copy.setModified(time, path: "b")
      #expect(try scratch.directory.facts(of: bytes("b")).modified == time)
    }
    #expect(try scratch.directory.facts(of: bytes("b")).permissions == 0o666)
    #expect(try String(contentsOfFile: scratch.path + "/b", encoding: .utf8) == text)
  }

  /// The kernel says that files of /proc are empty, and copies none of them.
  @Test func fallsBackToManualCopy() throws {
    let scratch = try Scratch()
    let copy = try scratch.directory.create(bytes("b"), permissions: 0o600)
    #expect(try copy.copy(from: try OpenFile(following: bytes("/proc/self/limits")), path: "b"))
    #expect(try String(contentsOfFile: scratch.path + "/b", encoding: .utf8).contains("Max open files"))
  }

  @Test func cancelledCopyStops() throws {
    let scratch = try Scratch()
    try scratch.write("x", bytes("a"))
    let copy = try scratch.directory.create(bytes("b"), permissions: 0o600)
    #expect(try copy.copy(from: try OpenFile(following: bytes(scratch.path + "/a")), path: "b") { false } == false)
    #expect(try scratch.directory.facts(of: bytes("b")).size == 0)
  }

  @Test(arguments: [("/", "EISDIR"), ("/dev/null", "EINVAL"), ("/nonexistent", "ENOENT")])
  func refusesToOpenNonRegularFiles(path: String, code: String) throws {
    let error = try #require(throws: FileError.self) { _ = try OpenFile(following: bytes(path)) }
    #expect(error.code == code && error.path == path)
  }
}
