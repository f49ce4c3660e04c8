import CLinux
import Glibc
import Messages
public import Seams

/// An open directory. Names are looked up in it, even if its path leads elsewhere by now.
///
/// Names are byte sequences without `/` and NUL. A symbolic link as the last component is not followed, unless a method says so.
public final class Directory: Sendable {
  /// The path it was opened by, for errors.
  public let path: String
  /// The open descriptor.
  public let descriptor: Descriptor

  /// Opens a directory by its path. Links are followed, since the operator has chosen the path.
  public init(path: String) throws(FileError) {
    self.path = path
    self.descriptor = try Descriptor(
      at: AT_FDCWD, Array(path.utf8), flags: O_RDONLY | O_DIRECTORY, as: "open", shown: PathText(path, []))
  }

  /// Opens a directory by its path, to look up names in it (O_PATH), which inotify does not report. To read it, open it by ``listing()``.
  public init(lookingIn path: String) throws(FileError) {
    self.path = path
    self.descriptor = try Descriptor(
      at: AT_FDCWD, Array(path.utf8), flags: clinux_path_only | O_DIRECTORY, as: "open", shown: PathText(path, []))
  }

  init(path: String, descriptor: consuming Descriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Opens a directory in this one.
  public func directory(_ name: [UInt8]) throws(FileError) -> Directory {
    try opened(name, O_RDONLY | O_NOFOLLOW, shown(name))
  }

  private func opened(_ name: [UInt8], _ flags: Int32, _ shown: PathText) throws(FileError) -> Directory {
    let opened = try Descriptor(at: descriptor.number, name, flags: flags | O_DIRECTORY, as: "open", shown: shown)
    return Directory(path: shown.text, descriptor: opened)
  }

  /// Opens a directory below this one by its path, like ``init(lookingIn:)``; ``reopened()`` opens it to sync it. A path through a symbolic
  /// link or into another file system throws ELOOP or EXDEV.
  public func directory(below path: [UInt8]) throws(FileError) -> Directory {
    let opened = restarted { unsafe made(.openat, path) { unsafe clinux_open_beneath(descriptor.number, $0) } }
    let error = errno
    let shown = shown(path)
    guard opened != -1 else { throw FileError("open", shown, errno: error) }
    return Directory(path: shown.text, descriptor: Descriptor(taking: opened))
  }

  /// The parent directory, to examine it and its own parents (O_PATH). The parent of the root is the root.
  public func parent() throws(FileError) -> Directory {
    try opened(Array("..".utf8), clinux_path_only, shown(Array("..".utf8)))
  }

  /// The same directory, opened for reading and syncing.
  public func reopened() throws(FileError) -> Directory {
    try opened([UInt8(ascii: ".")], O_RDONLY, shown([]))
  }

  /// Throws unless this process may read and write this file in it; without a name, unless it may read it, enter it, and create and
  /// remove names in it: faccessat(2), with ACLs.
  public func requireReadAndWrite(_ name: [UInt8] = []) throws(FileError) {
    let isDirectory = name.isEmpty
    let result = unsafe made(.faccessat, isDirectory ? [UInt8(ascii: ".")] : name) {
      unsafe faccessat(descriptor.number, $0, R_OK | W_OK | (isDirectory ? X_OK : 0), AT_EACCESS)
    }
    if result != 0 { throw FileError(isDirectory ? "write in" : "write to", shown(name), errno: errno) }
  }

  /// Makes a network file system fetch the facts of a name again, if it can, so that ``facts(of:)`` does not answer from a cache.
  public func refresh(_ name: [UInt8]) { _ = unsafe withName(name) { unsafe clinux_refresh(descriptor.number, $0) } }

  /// The facts of the directory itself.
  public func facts() throws(FileError) -> FileFacts { try descriptor.facts(shown: shown([])) }

  /// The facts of a name in it; for a symbolic link, those of the link. Throws ENOENT if there is no such name.
  public func facts(of name: [UInt8]) throws(FileError) -> FileFacts {
    var facts = stat()
    let result = unsafe made(.fstatat, name) { unsafe fstatat(descriptor.number, $0, &facts, AT_SYMLINK_NOFOLLOW) }
    guard result == 0 else { throw FileError("examine", shown(name), errno: errno) }
    return FileFacts(facts)
  }

  /// Opens a file in it for reading. Throws ELOOP for a symbolic link, EINVAL for anything else that is not a regular file.
  ///
  /// The facts are checked before the open, because opening a FIFO or device may have an effect.
  public func open(_ name: [UInt8]) throws(FileError) -> OpenFile {
    let file = try open(name, whose: try facts(of: name))
    guard try file.facts().kind == .regular else { throw notAFile(name) }
    return file
  }

  /// Opens a file under a name that only this program creates: it is checked only after the open. Throws like ``open(_:)``.
  public func openOurs(_ name: [UInt8]) throws(FileError) -> OpenFile {
    let opened = try descriptor(opening: name)
    guard try opened.facts(shown: shown(name)).kind == .regular else { throw notAFile(name) }
    return OpenFile(shown(name), opened)
  }

  func descriptor(opening name: [UInt8]) throws(FileError) -> Descriptor {
    try Descriptor(
      at: descriptor.number, name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, as: "open", shown: shown(name))
  }

  /// Opens a file that nobody else can replace, whose facts were read just before. Throws EINVAL for anything that is not a regular file.
  public func open(_ name: [UInt8], whose facts: FileFacts) throws(FileError) -> OpenFile {
    guard facts.kind == .regular else { throw notAFile(name) }
    return OpenFile(shown(name), try descriptor(opening: name))
  }

  /// False if a file certainly has no extended attributes, so that it need not be opened to read them (llistxattr(2)).
  public func mayHaveAttributes(_ name: [UInt8]) -> Bool {
    unsafe made(.listxattr, name) { unsafe clinux_has_attributes(descriptor.number, $0) } != 0
  }

  /// Creates an empty file in it. Throws EEXIST if the name is taken.
  public func create(_ name: [UInt8], permissions: UInt32) throws(FileError) -> Descriptor {
    try Descriptor(
      at: descriptor.number, name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: permissions, as: "create",
      shown: shown(name))
  }

  /// Opens a file in it for appending, and creates it if it is missing. Throws ELOOP for a symbolic link.
  public func openToAppend(_ name: [UInt8], permissions: UInt32) throws(FileError) -> Descriptor {
    try Descriptor(
      at: descriptor.number, name, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
      mode: permissions, as: "open", shown: shown(name))
  }

  /// Creates a directory in it. Throws EEXIST if the name is taken.
  public func makeDirectory(_ name: [UInt8], permissions: UInt32) throws(FileError) {
    let result = unsafe made(.mkdirat, name) { unsafe mkdirat(descriptor.number, $0, permissions) }
    guard result == 0 else { throw FileError("make directory", shown(name), errno: errno) }
  }

  /// Gives a file a second name on the same file system. Throws EEXIST if it is taken, EXDEV, and EPERM if the file system has no links.
  public func link(_ name: [UInt8], into directory: Directory, as newName: [UInt8]) throws(FileError) {
    unsafe try give(name, newName, in: directory, .linkat, "link") {
      unsafe linkat(descriptor.number, $0, directory.descriptor.number, $1, 0)
    }
  }

  func give(
    _ name: [UInt8], _ newName: [UInt8], in directory: Directory, _ call: SystemCall, _ operation: String,
    _ body: (_ name: UnsafePointer<CChar>, _ newName: UnsafePointer<CChar>) -> Int32
  ) throws(FileError) {
    let result = unsafe withName(name) { name in
      unsafe directory.made(call, newName) { newName in unsafe body(name, newName) }
    }
    guard result == 0 else { throw FileError(operation, shown(name), target: directory.shown(newName), errno: errno) }
  }

  private func made(_ call: SystemCall, _ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
    unsafe withName(name) { name in unsafe call.made(on: descriptor.number, at: name) { unsafe body(name) } }
  }

  /// Removes the name of a file.
  public func remove(_ name: [UInt8]) throws(FileError) {
    let result = unsafe made(.unlinkat, name) { unsafe unlinkat(descriptor.number, $0, 0) }
    guard result == 0 else { throw FileError("remove", shown(name), errno: errno) }
  }

  /// Removes an empty directory.
  public func removeDirectory(_ name: [UInt8]) throws(FileError) {
    let result = unsafe made(.unlinkat, name) { unsafe unlinkat(descriptor.number, $0, AT_REMOVEDIR) }
    guard result == 0 else { throw FileError("remove directory", shown(name), errno: errno) }
  }

  /// Returns once the names in it are on disk. EINVAL and ENOTSUP are not errors: some file systems (9p, several FUSE ones) write names
  /// through and have no fsync for directories.
  public func sync(_ sync: Sync) throws(FileError) {
    guard sync.isDone else { return }
    let result = SystemCall.fsync.made(on: descriptor.number) { fsync(descriptor.number) }
    guard result != 0 else { return }
    let error = errno
    guard error != EINVAL, error != ENOTSUP else { return }
    throw FileError("sync", shown([]), errno: error)
  }

  /// Returns once everything that was written to its file system is on disk.
  public func syncFileSystem(_ sync: Sync) throws(FileError) {
    guard sync.isDone else { return }
    let result = SystemCall.syncfs.made(on: descriptor.number) { clinux_sync_file_system(descriptor.number) }
    guard result == 0 else {
      throw FileError("sync the file system of", shown([]), errno: errno)
    }
  }

  /// Begins to read the names in it, as a stream, or goes on at the position of an earlier listing.
  public func listing(from position: Int? = nil) throws(FileError) -> DirectoryListing {
    try DirectoryListing(of: self, from: position)
  }

  func shown(_ name: [UInt8]) -> PathText { PathText(path, name) }

  private func notAFile(_ name: [UInt8]) -> FileError {
    FileError("open", shown(name), errno: EINVAL, advice: .notARegularFile)
  }
}

extension Descriptor {
  borrowing func facts(shown: PathText) throws(FileError) -> FileFacts {
    var facts = stat()
    let result = SystemCall.fstat.made(on: number) { unsafe fstat(number, &facts) }
    guard result == 0 else { throw FileError("examine", shown, errno: errno) }
    return FileFacts(facts)
  }
}
