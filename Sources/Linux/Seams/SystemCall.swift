#if DEBUG || SIMULATION
  import CSeams
  import Glibc
#endif

/// The system calls on files, by name.
///
/// All code makes them through ``made(on:at:_:)``. In release builds that is only the call. Debug builds count it first, and a
/// test can make it fail with any error (``FailingCalls``).
public enum SystemCall: String, CaseIterable, Sendable {
  // Names
  /// Opens a file, a directory, or a path.
  case openat
  /// Reads the facts of a name.
  case fstatat
  /// Reads the facts of an open file.
  case fstat
  /// Reads facts that fstat(2) does not give.
  case statx
  /// Checks permissions.
  case faccessat
  /// Makes a directory.
  case mkdirat
  /// Gives a file a second name.
  case linkat
  /// Removes a name.
  case unlinkat
  /// Renames a file without replacing anything.
  case renameat2
  /// Renames a file and replaces what has the new name.
  case renameat
  /// Reads the names in a directory.
  case getdents

  // Open files
  /// Reads from a position in a file.
  case pread
  /// Reads from the current position.
  case read
  /// Writes at the current position.
  case write
  /// Writes at a position in a file.
  case pwrite
  /// Sets the size.
  case ftruncate
  /// Reserves space.
  case fallocate
  /// Lets the kernel copy bytes.
  case copyFileRange = "copy_file_range"
  /// Returns the position in a file.
  case lseek
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
  /// Waits until a file system is on disk.
  case syncfs
  /// Takes a lock, or asks who has it.
  case lock
  /// Requests a lease, or gives it back.
  case lease
  /// Reads the facts of a file system.
  case statvfs

  // Watches
  /// Creates an inotify instance.
  case inotifyInit = "inotify_init"
  /// Watches a directory.
  case inotifyAddWatch = "inotify_add_watch"

  // Sockets with a name
  /// Makes a socket.
  case socket
  /// Binds a socket to a name.
  case bind
  /// Listens at a socket.
  case listen
}

extension SystemCall {
  #if DEBUG || SIMULATION
    /// Makes the call on an open file, unless it is to fail: then it returns -1 and sets errno, as the kernel does.
    public func made<Answer: SignedInteger>(on descriptor: Int32 = -1, _ call: () -> Answer) -> Answer {
      answer(unsafe cseams_meet_call(rawValue, descriptor, nil), call)
    }

    /// The same for a call with a path, or with a name in an open directory.
    public func made<Answer: SignedInteger>(
      on directory: Int32 = -1, at path: UnsafePointer<CChar>, _ call: () -> Answer
    ) -> Answer {
      answer(unsafe cseams_meet_call(rawValue, directory, path), call)
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

    /// Makes the call, which has a path, or a name in an open directory.
    @inlinable @inline(__always)
    public func made<Answer: SignedInteger>(
      on directory: Int32 = -1, at path: UnsafePointer<CChar>, _ call: () -> Answer
    ) -> Answer {
      call()
    }
  #endif
}
