#if DEBUG || SIMULATION
  import CSeams
  import Glibc
#endif

/// The system calls on files, by name. All code makes them through ``made(on:at:_:)``; debug builds count them, and a test can make one
/// fail (``FailingCalls``).
public enum SystemCall: String, CaseIterable, Sendable {
  // Names
  case openat, fstatat, fstat, statx, faccessat, mkdirat, linkat, unlinkat, renameat2, renameat, getdents

  // Open files
  case pread, read, write, pwrite, ftruncate, fallocate, lseek, fchmod, fchown, futimens, listxattr, getxattr
  case setxattr, fsync, syncfs, statvfs
  case copyFileRange = "copy_file_range"
  /// A lock is taken, or its owner is asked for.
  case lock
  /// A lease is requested, or given back.
  case lease

  // Watches
  case inotifyInit = "inotify_init"
  case inotifyAddWatch = "inotify_add_watch"

  // Sockets with a name
  case socket, bind, listen
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
