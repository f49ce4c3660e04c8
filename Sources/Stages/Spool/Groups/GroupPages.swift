package import Linux
import Synchronization

/// A walk through a claimed group, one page of files at a time. Any thread may read the next page.
package final class GroupPages: Sendable {
  private let tree: Mutex<GroupTree>

  init(_ tree: sending GroupTree) { self.tree = Mutex(tree) }

  /// Returns the next files, at most `count`; empty at the end. Throws what ``GroupTree/next()`` throws.
  package func next(upTo count: Int) throws(FileError) -> [GroupFile] {
    try tree.withLock { tree throws(FileError) in
      var page: [GroupFile] = []
      while page.count < count, let file = try tree.next() { page.append(file) }
      return page
    }
  }

  /// The sum of everything that was read so far.
  package var sum: GroupSum { tree.withLock { $0.sum } }
}
