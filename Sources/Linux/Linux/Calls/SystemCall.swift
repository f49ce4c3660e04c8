#if DEBUG || SIMULATION
  import CLinux
  import Glibc
#endif

/// The system calls on files, each by its name.
///
/// Whoever makes one makes it through ``made(on:at:_:)``. Release builds make the call and do nothing else. Debug builds count it
/// first, and a test can have it fail with any error instead (``FailingCalls``).
public enum SystemCall: String, CaseIterable, Sendable {
  // Names
  /// Opens a file, a directory, or a path.
  case openat
  /// Opens a directory below another one.
  case openat2
  /// Reads the facts of a name.
  case fstatat
  /// Reads the facts of an open file.
  case fstat
  /// Reads facts that stat(2) does not have.
  case statx
  /// Asks for rights.
  case faccessat
  /// Makes a directory.
  case mkdirat
  /// Gives a file a second name.
  case linkat
  /// Removes a name.
  case unlinkat
  /// Gives a file another name; replaces nothing.
  case renameat2
  /// Gives a file another name, and replaces what stands there.
  case renameat
  /// Reads the names in a directory.
  case getdents
  /// Resolves a path.
  case realpath

  // Open files
  /// Reads from a place in a file.
  case pread
  /// Reads on.
  case read
  /// Writes on.
  case write
  /// Writes to a place in a file.
  case pwrite
  /// Sets the size.
  case ftruncate
  /// Has the kernel send bytes.
  case sendfile
  /// Has the kernel copy bytes.
  case copyFileRange = "copy_file_range"
  /// Finds out the position in a file.
  case lseek
  /// Duplicates a descriptor.
  case dup
  /// Sets the permissions.
  case fchmod
  /// Sets the owner.
  case fchown
  /// Sets the times.
  case futimens
  /// Lists extended attributes.
  case listxattr
  /// Reads an extended attribute.
  case getxattr
  /// Sets an extended attribute.
  case setxattr
  /// Waits until bytes and names are on disk.
  case fsync
  /// Waits until bytes are on disk.
  case fdatasync
  /// Waits until a file system is on disk.
  case syncfs
  /// Takes a lock, or asks about it.
  case lock
  /// Takes a lease.
  case lease
  /// Reads the facts of a file system.
  case statvfs

  // Watches
  /// Makes a queue of hints about changes.
  case inotifyInit = "inotify_init"
  /// Watches a directory.
  case inotifyAddWatch = "inotify_add_watch"

  // Sockets with a name
  /// Makes a socket.
  case socket
  /// Gives a socket its name.
  case bind
  /// Listens at a socket.
  case listen
}

extension SystemCall {
  #if DEBUG || SIMULATION
    /// Makes the call on an open file, unless it is to fail: then it answers -1 with errno set, as the kernel does.
    public func made<Answer: SignedInteger>(on descriptor: Int32 = -1, _ call: () -> Answer) -> Answer {
      answer(unsafe clinux_meet_call(rawValue, descriptor, nil), call)
    }

    /// Does the same for a call that takes a path, or a name in an open directory.
    public func made<Answer: SignedInteger>(
      on directory: Int32 = -1, at path: UnsafePointer<CChar>, _ call: () -> Answer
    ) -> Answer {
      answer(unsafe clinux_meet_call(rawValue, directory, path), call)
    }

    private func answer<Answer: SignedInteger>(_ error: Int32, _ call: () -> Answer) -> Answer {
      guard error == 0 else {
        errno = error
        return -1
      }
      return call()
    }
  #else
    /// Makes the call on an open file.
    @inlinable @inline(__always)
    public func made<Answer: SignedInteger>(on descriptor: Int32 = -1, _ call: () -> Answer) -> Answer { call() }

    /// Makes the call, which takes a path, or a name in an open directory.
    @inlinable @inline(__always)
    public func made<Answer: SignedInteger>(
      on directory: Int32 = -1, at path: UnsafePointer<CChar>, _ call: () -> Answer
    ) -> Answer {
      call()
    }
  #endif
}
