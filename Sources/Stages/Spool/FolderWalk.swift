import Linux

/// A walk through the spool or a part of it. It reads one directory completely before those below it.
///
/// Not Sendable: the spool's thread owns it.
final class FolderWalk {
  /// True if it goes through the whole spool.
  let isWhole: Bool
  /// True if writing to files in it may have begun before their directory was watched.
  let isLate: Bool
  /// The directories that are still to be read, the next one last.
  var pending: [Folder]
  /// The directory that is being read.
  private(set) var folder = Folder.spool
  private var listing: DirectoryListing?
  private var isEmpty = true

  /// The result of one step.
  enum Step {
    /// A name in ``FolderWalk/folder``.
    case name(DirectoryListing.Entry)
    /// ``FolderWalk/folder`` was read to its end.
    case endOfFolder(isEmpty: Bool)
    /// The next directory, which the caller is to open and pass to ``FolderWalk/enter(_:)``.
    case nextFolder(Folder)
    /// Everything was read.
    case end
  }

  init(from folder: Folder, isWhole: Bool, isLate: Bool) {
    self.isWhole = isWhole
    self.isLate = isLate
    pending = [folder]
  }

  /// Reads the next name. After an error, the rest of the current directory is skipped.
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

  /// Begins to read this directory.
  func enter(_ directory: Directory) throws(FileError) {
    isEmpty = true
    listing = try directory.listing()
  }
}
