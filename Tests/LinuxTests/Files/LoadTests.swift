import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

/// Bytes that are read into the kernel's memory and copied to nobody.
@Suite struct LoadTests {
  @Test(arguments: [(0, 0), (0, 1), (0, 300_000), (5, 299_995), (299_999, 1)])
  func loadsFileRange(_ offset: Int64, _ count: Int) throws {
    let folder = try TemporaryFolder()
    try Data(repeating: 7, count: 300_000).write(to: URL(filePath: folder.file("a")))
    let file = try Directory(path: folder.path).open(Array("a".utf8))
    #expect(try file.load(at: offset, count: count) == count)
    #expect(
      try file.load(at: offset, count: count + 9)
        == (count + 9 > 300_000 - Int(offset) ? 300_000 - Int(offset) : count + 9))
  }

  @Test func loadsNothingPastEnd() throws {
    let folder = try TemporaryFolder()
    try Data([1, 2, 3]).write(to: URL(filePath: folder.file("a")))
    let file = try Directory(path: folder.path).open(Array("a".utf8))
    #expect(try file.load(at: 3, count: 10) == 0)
    #expect(try file.load(at: 1 << 40, count: 10) == 0)
  }

  /// A file that was dropped from the kernel's memory is there again.
  @Test func loadRefillsPageCache() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try Data(repeating: 7, count: 1 << 20).write(to: URL(filePath: path))
    let file = try Directory(path: folder.path).open(Array("a".utf8))
    // nil where the file system cannot say
    guard try file.readFromMemory(count: 1 << 20) != nil else { return }
    let descriptor = unsafe Glibc.open(path, O_RDONLY)
    try #require(descriptor >= 0 && fsync(descriptor) == 0)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    close(descriptor)
    #expect(try file.load(at: 0, count: 1 << 20) == 1 << 20)
    #expect(try file.readFromMemory(count: 1 << 20)?.count == 1 << 20)
  }
}
