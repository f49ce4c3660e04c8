import Linux

/// A walk through the spool or a part of it. It reads one directory completely before those below it.
///
/// Not Sendable: the spool's thread owns it.
final class FolderWalk {
  /// True if it goes through the whole spool.
  let isWhole: Bool
  /// True if writing to files in it may have begun before their directory was watched.
  let isLate: Bool
  /// The maximum number of directories that are planned before those below them are read, from one directory and from all; and the least
  /// number from one.
  private static let (mostInOne, most, leastInOne) = (4096, 65_536, 64)

  private struct Pending {
    let folder: Folder
    /// The position in it at which to go on; nil for its beginning.
    var position: Int?
  }

  /// The directories that are still to be read, the next one last.
  private var pending: [Pending]
  private var position: Int?
  /// The number of directories that are still to be read.
  var planned: Int { pending.count }
  /// The number of those that were planned before ``folder``.
  private var above = 0
  private(set) var folder = Folder.spool
  private var listing: DirectoryListing?

  enum Step {
    /// A name in ``FolderWalk/folder``.
    case name(DirectoryListing.Entry)
    /// The next directory, which the caller is to open and pass to ``FolderWalk/enter(_:)``.
    case nextFolder(Folder)
    case end
  }

  init(from folder: Folder, isWhole: Bool, isLate: Bool) {
    self.isWhole = isWhole
    self.isLate = isLate
    pending = [Pending(folder: folder)]
  }

  /// Plans to read a directory of ``folder`` later. If there are many, those are read first, and the rest of ``folder`` after them.
  func plan(_ child: Folder) {
    pending.append(Pending(folder: child))
    let planned = pending.count - above
    guard planned >= (pending.count < Self.most ? Self.mostInOne : Self.leastInOne), let listing else { return }
    pending.insert(Pending(folder: folder, position: listing.position), at: above)
    self.listing = nil
  }

  /// Reads the next name. After an error, the rest of the current directory is skipped.
  func next() throws(FileError) -> Step {
    if let listing {
      do throws(FileError) {
        if let entry = try listing.next() { return .name(entry) }
      } catch {
        self.listing = nil
        throw error
      }
      self.listing = nil
    }
    guard let next = pending.popLast() else { return .end }
    (folder, position) = (next.folder, next.position)
    return .nextFolder(folder)
  }

  func enter(_ directory: Directory) throws(FileError) {
    above = pending.count
    listing = try directory.listing(from: position)
  }
}
