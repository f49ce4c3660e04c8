import ChildProcesses
import Foundation
import Linux
import Testing

@testable import Spool

/// Watches go with their directories, and the tree says where those are.
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

  @Test func moveWithinKeepsSubtree() {
    var tree = tree("", "a", "a/b", "a/b/c", "ab")
    tree.departs(folder("a"), cookie: 7)
    let step1 = tree.arrives(folder("x/y"), cookie: 8)
    #expect(step1 == nil)
    let step2 = tree.arrives(folder("x/y"), cookie: 7)
    #expect(step2 == folder("a"))
    let step3 = tree.hasLeft(folder("x/y"))
    #expect(!step3)
    #expect(watches.prefix(5).map { tree.folder(of: $0)?.shown } == [".", "x/y", "x/y/b", "x/y/b/c", "ab"])
    #expect(tree.isWatched(folder("x/y/b")))
    #expect(!tree.isWatched(folder("a/b")))
  }

  @Test func detectsMoveAwayFromOwnHint() {
    var tree = tree("", "a", "a/b")
    tree.departs(folder("a"), cookie: 7)
    let step4 = tree.hasLeft(folder("a"))
    #expect(step4)
    let step5 = tree.hasLeft(folder("a"))
    #expect(!step5)
    let gone6 = tree.remove(folder("a"))
    #expect(Set(gone6) == Set(watches[1...2]))
    #expect(tree.count == 1)
  }

  @Test func distinguishesSimultaneousMoves() {
    var tree = tree("", "a", "b")
    tree.departs(folder("a"), cookie: 1)
    tree.departs(folder("b"), cookie: 2)
    let step7 = tree.arrives(folder("c"), cookie: 2)
    #expect(step7 == folder("b"))
    let step8 = tree.hasLeft(folder("a"))
    #expect(step8)
    let step9 = tree.hasLeft(folder("c"))
    #expect(!step9)
    #expect(tree.folder(of: watches[2]) == folder("c"))
  }

  @Test func scanCorrectsMissedHints() {
    var tree = tree("", "a", "b", "gone")
    let step10 = tree.add(watches[0], .spool, scan: 2)
    #expect(step10 == [])
    // Another directory stands under a known path, and a known one under another path.
    let step11 = tree.add(watches[4], folder("a"), scan: 2)
    #expect(step11 == [watches[1]])
    let step12 = tree.add(watches[2], folder("c"), scan: 2)
    #expect(step12 == [])
    #expect(!tree.isWatched(folder("b")))
    let step13 = tree.removeUnseen(in: 2)
    #expect(step13 == [watches[3]])
    #expect(tree.count == 3)
    #expect(tree.folder(of: watches[1]) == nil)
  }

  @Test func forgetsEndedWatch() {
    var tree = tree("", "a")
    tree.ended(watches[1])
    #expect(!tree.isWatched(folder("a")))
    tree.ended(watches[1])
    #expect(tree.count == 1)
  }
}
