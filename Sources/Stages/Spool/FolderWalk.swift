import Linux

/// A walk through the spool or a part of it. It reads one directory at a time, and the directories below it afterwards.
///
/// Not Sendable: the spool's thread owns it.
final class FolderWalk {
  /// True if it goes through all of the spool.
  let isWhole: Bool
  /// True if files in it may have been begun before their directory was watched.
  let isLate: Bool
  /// Directories that are still to be read, the next one last.
  var pending: [Folder]
  /// The one that is being read.
  private(set) var folder = Folder.spool
  private var listing: DirectoryListing?
  private var isEmpty = true

  /// The result of one step.
  enum Step {
    /// A name in ``FolderWalk/folder``.
    case name(DirectoryListing.Entry)
    /// ``FolderWalk/folder`` is read to its end.
    case endOfFolder(isEmpty: Bool)
    /// The next directory is to be opened: ``FolderWalk/enter(_:)``.
    case nextFolder(Folder)
    /// All of it was read.
    case end
  }

  init(from folder: Folder, isWhole: Bool, isLate: Bool) {
    self.isWhole = isWhole
    self.isLate = isLate
    pending = [folder]
  }

  /// Reads the next name. An error concerns the present directory, which is then left.
  func next() throws(FileError) -> Step {
    guard let listing else {
      guard let next = pending.popLast() else { return .end }
      folder = next
      return .nextFolder(next)
    }
    do throws(FileError) {
      if let entry = try listing.next() {
        isEmpty = false
        return .name(entry)
      }
    } catch {
      self.listing = nil
      throw error
    }
    self.listing = nil
    return .endOfFolder(isEmpty: isEmpty)
  }

  /// Reads this directory next.
  func enter(_ directory: Directory) throws(FileError) {
    isEmpty = true
    listing = try directory.listing()
  }
}
