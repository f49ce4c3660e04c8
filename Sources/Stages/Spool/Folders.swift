import Jobs
import Linux

/// A directory below the spool, given by its path from the spool; the empty path is the spool itself.
struct Folder: Hashable {
  static let spool = Folder(path: [])
  /// The maximum length of a path that is searched. A key of S3 has at most 1,024 bytes, a path of Linux 4,096.
  static let longestPath = 2048

  let path: [UInt8]

  init(path: [UInt8]) { self.path = path }

  init(of name: FileName) { path = name.path }

  /// The path in readable form, `.` for the spool itself.
  var shown: String { path.isEmpty ? "." : FileName(bytes: path).shown }

  func child(_ name: [UInt8]) -> Folder { Folder(path: file(name).bytes) }

  func file(_ name: [UInt8]) -> FileName { FileName(FileName(bytes: name), in: path) }

  /// The parent directory, and the name in it; nil for the spool.
  var above: (folder: Folder, name: [UInt8])? {
    guard !path.isEmpty else { return nil }
    let name = FileName(bytes: path)
    return (Folder(path: name.path), name.last.bytes)
  }
}

/// Values of directories in a tree: the directories below one are found without a walk through those beside it.
struct FolderTree<Value: Sendable>: Sendable {
  private var values: [Folder: Value] = [:]
  /// For each directory, the names of those in it that have a value, or a value below them.
  private var names: [Folder: Set<[UInt8]>] = [:]

  subscript(folder: Folder) -> Value? { values[folder] }

  /// Changes the value of a directory in place; nil stands for none.
  mutating func change(_ folder: Folder, _ change: (inout Value?) -> Void) {
    change(&values[folder])
    if values[folder] == nil { prune(folder) } else { grow(folder) }
  }

  private mutating func grow(_ folder: Folder) {
    var folder = folder
    while let (above, name) = folder.above, names[above, default: []].insert(name).inserted { folder = above }
  }

  private mutating func prune(_ folder: Folder) {
    var folder = folder
    while values[folder] == nil, names[folder] == nil, let (above, name) = folder.above {
      names[above]?.remove(name)
      if names[above]?.isEmpty == true { names[above] = nil }
      folder = above
    }
  }

  /// Returns a directory and those below it, as far as they have values; parents first.
  func folders(in top: Folder) -> [Folder] {
    var (found, pending): ([Folder], [Folder]) = ([], [top])
    while let folder = pending.popLast() {
      if values[folder] != nil { found.append(folder) }
      for name in names[folder] ?? [] { pending.append(folder.child(name)) }
    }
    return found
  }
}

/// The directory of each inotify watch. It does no I/O: it returns the watches that must be removed.
struct WatchTree: Sendable {
  /// The watches, with the number of the last scan that found their directory.
  private var tree = FolderTree<(watch: Inotify.Watch, scan: Int)>()
  private(set) var folders: [Inotify.Watch: Folder] = [:]
  var departed = Departures<Void>()

  func folder(of watch: Inotify.Watch) -> Folder? { folders[watch] }

  func isWatched(_ folder: Folder) -> Bool { tree[folder] != nil }

  /// Records a directory's watch. Returns the watch that it replaces, if any.
  mutating func add(_ watch: Inotify.Watch, _ folder: Folder, scan: Int) -> [Inotify.Watch] {
    if let known = folders[watch], known != folder { ended(watch) }
    let replaced = tree[folder].flatMap { $0.watch == watch ? nil : $0.watch }
    if let replaced { folders[replaced] = nil }
    folders[watch] = folder
    tree.change(folder) { $0 = (watch, scan) }
    return replaced.map { [$0] } ?? []
  }

  mutating func ended(_ watch: Inotify.Watch) {
    if let folder = folders.removeValue(forKey: watch) { tree.change(folder) { $0 = nil } }
  }

  mutating func remove(_ folder: Folder) -> [Inotify.Watch] {
    let gone = tree.folders(in: folder).compactMap { tree[$0]?.watch }
    for watch in gone { ended(watch) }
    return gone
  }

  /// Forgets the directories that a whole scan did not find; returns their watches.
  mutating func removeUnseen(in scan: Int) -> [Inotify.Watch] {
    let gone = folders.filter { tree[$1].map { $0.scan < scan } ?? true }.map(\.key)
    for watch in gone { ended(watch) }
    return gone
  }
}

/// A walk through the spool or a part of it. It reads one directory completely before those below it.
final class FolderWalk {
  let isWhole: Bool
  /// True if writing to files in it may have begun before their directory was watched.
  let isLate: Bool
  /// The number of directories to plan from one directory before these are read; `leastInOne` once `most` are planned in all.
  private static let (mostInOne, most, leastInOne) = (4096, 65_536, 64)

  private struct Pending {
    let folder: Folder
    /// The position in the directory at which to go on; nil for its beginning.
    var position: Int?
  }

  /// The directories that are still to be read, the next one last.
  private var pending: [Pending]
  private var position: Int?
  var planned: Int { pending.count }
  /// The number of directories that were planned before those in ``folder``.
  private var above = 0
  private(set) var folder = Folder.spool
  private var listing: DirectoryListing?

  enum Step {
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

  /// Plans to read a directory of ``folder`` later. Once many are planned, they are read first, and the rest of ``folder`` after them.
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
