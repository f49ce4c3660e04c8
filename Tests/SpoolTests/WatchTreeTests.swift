import ChildProcesses
import FoundationEssentials
import Linux
import Testing

@testable import Spool

@Suite struct WatchTreeTests {
  private let watches: [Inotify.Watch]

  /// Watches of the kernel's, since nobody else makes some.
  init() throws {
    let folder = try TemporaryFolder()
    let inotify = try Inotify(path: folder.path)
    watches = try (0..<6).map { try inotify.watch(Directory(path: folder.folder("\($0)").path)) }
  }

  private func folder(_ path: String) -> Folder { Folder(path: Array(path.utf8)) }

  private func tree(_ paths: String...) -> WatchTree {
    var tree = WatchTree()
    for (watch, path) in zip(watches, paths) { _ = tree.add(watch, folder(path), scan: 1) }
    return tree
  }

  @Test func cookieTellsMoveWithinFromArrival() {
    var tree = tree("")
    for cookie: UInt32 in [1, 2] { tree.departed.add(cookie, ()) }
    #expect([3, 2, 2, 1].map { tree.departed.arrival($0) != nil } == [false, true, false, true])
  }

  @Test func scanCorrectsMissedHints() {
    var tree = tree("", "a", "b", "gone")
    // Another directory stands under a known path, and a known one under another path.
    let found = [(watches[0], ""), (watches[4], "a"), (watches[2], "c")]
    let replaced = found.map { tree.add($0, folder($1), scan: 2) }
    let unseen = tree.removeUnseen(in: 2)
    #expect(replaced == [[], [watches[1]], []] && unseen == [watches[3]])
    #expect(tree.folders.count == 3 && tree.folder(of: watches[2]) == folder("c") && tree.folder(of: watches[1]) == nil)
    // A directory goes with all below it.
    _ = tree.add(watches[5], folder("a/b/c"), scan: 2)
    let gone = tree.remove(folder("a"))
    #expect(Set(gone) == [watches[4], watches[5]] && tree.folders.count == 2)
  }
}
