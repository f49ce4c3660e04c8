import CLinux
import Glibc

/// Whether a file is open for writing somewhere, as far as the kernel tells.
public enum Writers: Hashable, Sendable {
  /// Nobody has it open for writing.
  case none
  /// Somebody has.
  case some
  /// It cannot be told: the file may not be opened or leased, or its file system knows no leases.
  case unknown
}

extension Directory {
  /// Asks for a read lease on a file (fcntl(2), F_SETLEASE), which the kernel refuses while anybody has it open for writing, and
  /// gives it back at once. `facts` are the file's, just taken.
  ///
  /// Somebody who opens it for writing in that moment is held up until the lease is back; the signal that says so is one
  /// that does nothing.
  public func writers(of name: [UInt8], whose facts: FileFacts) -> Writers {
    do throws(FileError) {
      return try open(name, whose: facts).writers
    } catch {
      // Another's lease stands against the opening: a file server's, for a client that writes.
      return error.errno == EWOULDBLOCK ? .some : .unknown
    }
  }
}

extension OpenFile {
  /// The lease goes with the descriptor, so this is asked of a file that is closed thereupon.
  fileprivate var writers: Writers {
    if clinux_read_lease(descriptor.number) == 0 { return .none }
    return errno == EAGAIN ? .some : .unknown
  }
}
