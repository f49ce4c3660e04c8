import CLinux
import Glibc

/// A directory that is held open: names are looked up in it, wherever its path leads by now.
///
/// Names are byte sequences without `/` and NUL. Nothing here follows a symbolic link in a name's last place.
public final class Directory: Sendable {
  /// The path it was opened by, for errors.
  public let path: String
  /// The open descriptor.
  public let descriptor: Descriptor

  /// Opens a directory by its path; here links are followed, since the path is the operator's own word.
  public init(path: String) throws(FileError) {
    self.path = path
    self.descriptor = try Descriptor(
      at: AT_FDCWD, Array(path.utf8), flags: O_RDONLY | O_DIRECTORY, as: "open", shown: PathText(path, []))
  }

  init(path: String, descriptor: consuming Descriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Opens a directory in this one.
  public func directory(_ name: [UInt8]) throws(FileError) -> Directory {
    let shown = shown(name)
    return Directory(
      path: shown.text,
      descriptor: try Descriptor(
        at: descriptor.number, name, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW, as: "open", shown: shown))
  }

  /// Opens a directory below this one by its path, to look up and change names in it (O_PATH). Inotify does not report
  /// such an opening, and the descriptor can neither be read nor synced. ``reopened()`` can.
  ///
  /// No symbolic link is followed, and no other file system entered: such a path throws ELOOP or EXDEV.
  public func directory(below path: [UInt8]) throws(FileError) -> Directory {
    let opened = unsafe withName(path) { path in
      restarted {
        unsafe SystemCall.openat2.made(on: descriptor.number, at: path) {
          unsafe clinux_open_beneath(descriptor.number, path)
        }
      }
    }
    return try directory(path, opened: opened)
  }

  /// The same, in the way of systems without openat2(2), for tests of it.
  package func directory(walkingBelow path: [UInt8]) throws(FileError) -> Directory {
    try directory(path, opened: unsafe withName(path) { unsafe clinux_walk_beneath(descriptor.number, $0) })
  }

  private func directory(_ path: [UInt8], opened: Int32) throws(FileError) -> Directory {
    let error = errno
    let shown = shown(path)
    guard opened != -1 else { throw FileError("open", shown, errno: error) }
    return Directory(path: shown.text, descriptor: Descriptor(taking: opened))
  }

  /// The directory above this one, to look at it and up from it (O_PATH); that of the root is the root.
  public func parent() throws(FileError) -> Directory {
    Directory(
      path: path + "/..",
      descriptor: try Descriptor(
        at: descriptor.number, Array("..".utf8), flags: clinux_path_only | O_DIRECTORY, as: "open",
        shown: shown(Array("..".utf8))))
  }

  /// The same directory, opened to be read and synced.
  public func reopened() throws(FileError) -> Directory {
    Directory(
      path: path,
      descriptor: try Descriptor(
        at: descriptor.number, [UInt8(ascii: ".")], flags: O_RDONLY | O_DIRECTORY, as: "open", shown: shown([])))
  }

  /// Makes sure that this process may read it, enter it, and make and remove names in it: faccessat(2), with ACLs.
  public func requireReadAndWrite() throws(FileError) {
    let result = unsafe withName([UInt8(ascii: ".")]) { name in
      SystemCall.faccessat.made(on: descriptor.number) {
        unsafe faccessat(descriptor.number, name, R_OK | W_OK | X_OK, AT_EACCESS)
      }
    }
    if result != 0 { throw FileError("write in", shown([]), errno: errno) }
  }

  /// Makes sure that this process may read and write a file in it.
  public func requireReadAndWrite(_ name: [UInt8]) throws(FileError) {
    let result = unsafe withName(name) { name in
      unsafe SystemCall.faccessat.made(on: descriptor.number, at: name) {
        unsafe faccessat(descriptor.number, name, R_OK | W_OK, AT_EACCESS)
      }
    }
    if result != 0 { throw FileError("write to", shown(name), errno: errno) }
  }

  /// When the directory was made, in nanoseconds since the Unix epoch; nil where the file system does not keep it.
  public var made: Int64? {
    var nanoseconds: Int64 = 0
    let result = SystemCall.statx.made(on: descriptor.number) {
      unsafe clinux_birth(descriptor.number, &nanoseconds)
    }
    return result == 0 ? nanoseconds : nil
  }

  /// Has a network file system fetch the facts of a name anew, so that ``facts(of:)`` does not answer from what was
  /// remembered. Where that is not to be had it changes nothing.
  public func refresh(_ name: [UInt8]) { _ = unsafe withName(name) { unsafe clinux_refresh(descriptor.number, $0) } }

  /// The facts of the directory itself.
  public func facts() throws(FileError) -> FileFacts { try descriptor.facts(shown: shown([])) }

  /// The facts of a name in it; of a symbolic link, the link's own. Throws ENOENT where there is no such name.
  public func facts(of name: [UInt8]) throws(FileError) -> FileFacts {
    var facts = stat()
    let result = unsafe withName(name) { name in
      unsafe SystemCall.fstatat.made(on: descriptor.number, at: name) {
        unsafe fstatat(descriptor.number, name, &facts, AT_SYMLINK_NOFOLLOW)
      }
    }
    guard result == 0 else { throw FileError("examine", shown(name), errno: errno) }
    return FileFacts(facts)
  }

  /// The facts of the file that a name leads to; a symbolic link is followed.
  func target(of name: [UInt8]) throws(FileError) -> FileFacts {
    var facts = stat()
    let result = unsafe withName(name) { name in
      unsafe SystemCall.fstatat.made(on: descriptor.number, at: name) {
        unsafe fstatat(descriptor.number, name, &facts, 0)
      }
    }
    guard result == 0 else { throw FileError("examine", shown(name), errno: errno) }
    return FileFacts(facts)
  }

  /// Opens a file in it for reading. Throws ELOOP for a symbolic link, EINVAL for whatever else is not a regular file.
  ///
  /// The name is looked at before it is opened, since the opening alone of a FIFO or device can do something.
  public func open(_ name: [UInt8]) throws(FileError) -> OpenFile {
    let file = try open(name, whose: try facts(of: name))
    guard try file.facts().kind == .regular else { throw notAFile(name) }
    return file
  }

  /// Opens a file by a name that only this program gives, so that it is looked at only once it is open. Throws as
  /// ``open(_:)`` does.
  public func openOurs(_ name: [UInt8]) throws(FileError) -> OpenFile {
    let opened = try descriptor(opening: name)
    let facts = try opened.facts(shown: shown(name))
    guard facts.kind == .regular else { throw notAFile(name) }
    return OpenFile(shown(name), opened, facts: facts)
  }

  func descriptor(opening name: [UInt8]) throws(FileError) -> Descriptor {
    try Descriptor(
      at: descriptor.number, name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, as: "open", shown: shown(name))
  }

  /// Opens a file and takes its facts as given, without a further look. The facts were read just now, and in this
  /// directory nobody else can put another file in its place. Throws EINVAL for what is not a regular file.
  public func open(_ name: [UInt8], whose facts: FileFacts) throws(FileError) -> OpenFile {
    guard facts.kind == .regular else { throw notAFile(name) }
    return OpenFile(shown(name), try descriptor(opening: name), facts: facts)
  }

  /// False if a file certainly has no extended attributes; then it need not be opened for them. It is asked by name, through
  /// /proc (llistxattr(2)).
  public func mayHaveAttributes(_ name: [UInt8]) -> Bool {
    unsafe withName(name) { name in
      unsafe SystemCall.listxattr.made(on: descriptor.number, at: name) {
        unsafe clinux_has_attributes(descriptor.number, name)
      }
    } != 0
  }

  /// Makes a new empty file in it. Throws EEXIST where the name is taken.
  public func create(_ name: [UInt8], permissions: UInt32) throws(FileError) -> Descriptor {
    try Descriptor(
      at: descriptor.number, name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: permissions, as: "create",
      shown: shown(name))
  }

  /// Opens a file in it to add bytes at its end, and makes it if it is not there. Throws ELOOP for a symbolic link.
  public func openToAppend(_ name: [UInt8], permissions: UInt32) throws(FileError) -> Descriptor {
    try Descriptor(
      at: descriptor.number, name, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
      mode: permissions, as: "open", shown: shown(name))
  }

  /// Makes a directory in it. Throws EEXIST where the name is taken.
  public func makeDirectory(_ name: [UInt8], permissions: UInt32) throws(FileError) {
    let result = unsafe withName(name) { name in
      unsafe SystemCall.mkdirat.made(on: descriptor.number, at: name) {
        unsafe mkdirat(descriptor.number, name, permissions)
      }
    }
    guard result == 0 else { throw FileError("make directory", shown(name), errno: errno) }
  }

  /// Gives a file a second name, in a directory of the same file system. Throws EEXIST where that is taken, EXDEV, or EPERM
  /// where the file system knows no links.
  public func link(_ name: [UInt8], into directory: Directory, as newName: [UInt8]) throws(FileError) {
    let result = unsafe withName(name) { from in
      unsafe withName(newName) { to in
        unsafe SystemCall.linkat.made(on: directory.descriptor.number, at: to) {
          unsafe linkat(descriptor.number, from, directory.descriptor.number, to, 0)
        }
      }
    }
    guard result == 0 else { throw FileError("link", shown(name), target: directory.shown(newName), errno: errno) }
  }

  /// Removes the name of a file.
  public func remove(_ name: [UInt8]) throws(FileError) {
    let result = unlinked(name, 0)
    guard result == 0 else { throw FileError("remove", shown(name), errno: errno) }
  }

  /// Removes an empty directory.
  public func removeDirectory(_ name: [UInt8]) throws(FileError) {
    let result = unlinked(name, AT_REMOVEDIR)
    guard result == 0 else { throw FileError("remove directory", shown(name), errno: errno) }
  }

  private func unlinked(_ name: [UInt8], _ flags: Int32) -> Int32 {
    unsafe withName(name) { name in
      unsafe SystemCall.unlinkat.made(on: descriptor.number, at: name) {
        unsafe unlinkat(descriptor.number, name, flags)
      }
    }
  }

  /// Returns when the names in it are on disk.
  ///
  /// EINVAL and ENOTSUP are no errors: some file systems (9p, several of FUSE) write names through and know no fsync of
  /// a directory.
  public func sync(_ sync: Sync) throws(FileError) {
    guard sync.isDone else { return }
    let result = SystemCall.fsync.made(on: descriptor.number) { fsync(descriptor.number) }
    guard result != 0 else { return }
    let error = errno
    guard error != EINVAL, error != ENOTSUP else { return }
    throw FileError("sync", shown([]), errno: error)
  }

  /// Returns when all that was written to its file system is on disk, whoever wrote it.
  public func syncFileSystem(_ sync: Sync) throws(FileError) {
    guard sync.isDone else { return }
    let result = SystemCall.syncfs.made(on: descriptor.number) { clinux_sync_file_system(descriptor.number) }
    guard result == 0 else {
      throw FileError("sync the file system of", shown([]), errno: errno)
    }
  }

  /// Starts to read the names in it, as a stream.
  public func listing() throws(FileError) -> DirectoryListing { try DirectoryListing(of: self) }

  func shown(_ name: [UInt8]) -> PathText { PathText(path, name) }

  private func notAFile(_ name: [UInt8]) -> FileError {
    var error = FileError("open", shown(name), errno: EINVAL)
    error.advice = "it is not a regular file"
    return error
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
