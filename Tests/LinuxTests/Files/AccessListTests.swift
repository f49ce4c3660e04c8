import ChildProcesses
import Linux
import Testing

/// Access control lists as setfacl(1) writes them.
@Suite(.slot) struct AccessListTests {
  @Test func bytesAreInKernelsOrder() {
    let list = AccessList([
      .init(.others, 0), .init(.user(258), 7), .init(.mask, 7), .init(.owner, 6), .init(.group, 5),
    ])
    let none: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    #expect(
      list.bytes == [2, 0, 0, 0] + [1, 0, 6, 0] + none + [2, 0, 7, 0, 2, 1, 0, 0] + [4, 0, 5, 0] + none
        + [0x10, 0, 7, 0] + none + [0x20, 0, 0, 0] + none)
  }

  @Test(.needs(.acl)) func equalsSetfacl() async throws {
    let folder = try TemporaryFolder()
    for name in ["ours", "theirs"] { try await Command.require(["mkdir", folder.file(name)]) }
    try Directory(path: folder.file("ours")).setDefault(
      AccessList([.init(.owner, 7), .init(.user(65_534), 7), .init(.group, 0), .init(.mask, 7), .init(.others, 0)]))
    try await Command.require(["setfacl", "-d", "-m", "u::rwx,u:65534:rwx,g::---,o::---", folder.file("theirs")])
    let lists = try await ["ours", "theirs"].asyncMap {
      try await Command.require(["getfacl", "-cn", folder.file($0)])
    }
    #expect(lists[0] == lists[1] && lists[0].contains("default:user:65534:rwx"), "\(lists)")
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ change: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await change(element)) }
    return results
  }
}
