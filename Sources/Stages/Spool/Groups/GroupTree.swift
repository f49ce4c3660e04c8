import Glibc
package import Jobs
package import Linux
import Messages

/// A file of a group.
package struct GroupFile: Sendable {
  package let path: FileName
  package let facts: FileFacts
  /// True if its name matches the pattern of the marker.
  package let isMarker: Bool

  package var identity: FileIdentity { FileIdentity(facts) }
}

/// A walk through the directory of a group, which returns every file with its path from that directory.
package final class GroupTree: BatchedWalk {
  /// The maximum number of files of a group: each has a row in the ledger, and an entry in the body of the registration.
  static let mostFiles = 50_000
  static let mostFolders = 50_000
  /// The maximum length of a path in a group: a key of S3 has at most 1,024 bytes.
  static let longestPath = 1024

  private let root: Directory
  private let marker: ShellPattern?
  private var pending: [[UInt8]] = [[]]
  private var folder: [UInt8] = []
  private var directory: Directory?
  private var listing: DirectoryListing?
  private var files = 0
  /// The sum of everything read so far. The group's own directory is not part of it, because a rename changes its facts.
  private(set) var sum = GroupSum()
  /// The directories of the walk so far with their paths from the group's, which comes first; parents before children.
  package private(set) var folders: [(path: [UInt8], facts: FileFacts)] = []

  package init(_ root: Directory, marker: String?) throws(FileError) {
    self.root = root
    self.marker = marker.map { ShellPattern($0) }
  }

  /// Returns the next file; nil at the end. Also throws for anything that is neither a file nor a directory, and for a group that is too
  /// large: then nothing of the group may be taken.
  package func next() throws(FileError) -> GroupFile? {
    while true {
      guard let directory, let listing else {
        guard let path = pending.popLast() else { return nil }
        let opened = try root.folder(path)
        let facts = try opened.facts()
        folders.append((path, facts))
        if !path.isEmpty { sum.add(folder: path, facts) }
        folder = path
        directory = opened
        listing = try opened.listing()
        continue
      }
      guard let entry = try listing.next() else {
        self.directory = nil
        self.listing = nil
        continue
      }
      let path = FileName(FileName(bytes: entry.name), in: folder)
      guard let facts = try directory.factsIfPresent(entry.name) else { continue }
      guard path.bytes.count <= Self.longestPath else { throw fault(path, .groupTooDeep(count: Self.longestPath)) }
      switch facts.kind {
      case .regular:
        files += 1
        guard files <= Self.mostFiles else { throw fault(nil, .groupTooManyFiles(count: Self.mostFiles)) }
        sum.add(path, facts)
        let isMarker = folder.isEmpty && marker?.matches(entry.name) == true
        return GroupFile(path: path, facts: facts, isMarker: isMarker)
      case .directory:
        guard pending.count + folders.count < Self.mostFolders else {
          throw fault(nil, .groupTooManyFolders(count: Self.mostFolders))
        }
        pending.append(path.bytes)
      case .symbolicLink: throw fault(path, .groupHasLink)
      case .other: throw fault(path, .groupHasNoFile)
      }
    }
  }

  /// Opens the directory of a file of the walk; returns it with the file's name in it.
  package static func location(_ path: FileName, in root: Directory) throws(FileError) -> (Directory, [UInt8]) {
    path.path.isEmpty ? (root, path.bytes) : (try root.directory(below: path.path), path.last.bytes)
  }

  private func fault(_ path: FileName?, _ words: Message) -> FileError {
    FileError(
      FileError.takingGroup, path: path.map { "\(root.path)/\($0.shown)" } ?? root.path, errno: EINVAL, advice: words)
  }
}

extension FileError {
  fileprivate static let takingGroup = "take"

  /// True if a walk found that a directory cannot be a group. The error is not one of the kernel.
  package var isOfNoGroup: Bool { operation == Self.takingGroup && errno == EINVAL }
}

/// The result of one walk through a group's directory.
struct GroupLook: Hashable {
  var files = 0
  var bytes: Int64 = 0
  var hasMarker = false
  /// The last change of any file or directory, in nanoseconds since the Unix epoch.
  var changed: Int64 = 0
  /// The last modification of any file, in nanoseconds since the Unix epoch.
  var modified: Int64 = 0
  var sum = GroupSum()
  /// The first file that is open for writing, as far as leases were asked for.
  var openFile: FileName?
  var folders: [[UInt8]] = []
}

extension GroupLook {
  /// Walks through a group; `leased` are the files of which a lease is to show if they are open for writing.
  init(_ root: Directory, marker: String?, leased: Candidates.Leased = .none) throws(FileError) {
    let tree = try GroupTree(root, marker: marker)
    while let file = try tree.next() {
      if file.isMarker {
        hasMarker = true
      } else {
        files += 1
        bytes +|= file.facts.size
        modified = max(modified, file.facts.modified)
      }
      changed = max(changed, file.facts.changed)
      guard openFile == nil, leased.covers(file.facts) else { continue }
      let (directory, last) = try GroupTree.location(file.path, in: root)
      if directory.writers(of: last, whose: file.facts) == .some { openFile = file.path }
    }
    for folder in tree.folders { changed = max(changed, folder.facts.changed) }
    folders = tree.folders.map(\.path)
    sum = tree.sum
  }

  /// The group's facts in the form of a single file's: the directory's inode, the total size, the latest times.
  func identity(of directory: FileFacts) -> FileIdentity {
    FileIdentity(device: directory.device, inode: directory.inode, size: bytes, modified: modified, changed: changed)
  }
}

/// A sum over the facts of all files and directories of a group. Equal sums of one process mean that nothing has changed.
package struct GroupSum: Hashable, Sendable {
  private(set) var value: UInt64 = 0

  mutating func add(_ path: FileName, _ facts: FileFacts) {
    add(path.bytes, [facts.size, facts.modified, facts.changed], facts)
  }

  mutating func add(folder path: [UInt8], _ facts: FileFacts) { add(path, [facts.changed], facts) }

  private mutating func add(_ path: [UInt8], _ numbers: [Int64], _ facts: FileFacts) {
    var hasher = Hasher()
    hasher.combine(path)
    hasher.combine(facts.inode)
    hasher.combine(numbers)
    value &+= UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
