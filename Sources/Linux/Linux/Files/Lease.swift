import CLinux
import Glibc
import Seams

/// The answer to the question whether a file is open for writing.
public enum Writers: Hashable, Sendable {
  /// Nobody has it open for writing.
  case none
  /// Somebody has it open for writing.
  case some
  /// Unknown: the file may not be opened or leased, or its file system has no leases.
  case unknown
}

extension Directory {
  /// Asks for a read lease on a file (fcntl(2), F_SETLEASE) and releases it at once: the kernel refuses it while anybody has the file open
  /// for writing. Who opens the file for writing at that moment waits. `facts` are the file's facts, read just before.
  public func writers(of name: [UInt8], whose facts: FileFacts) -> Writers {
    do throws(FileError) {
      return try open(name, whose: facts).descriptor.writers
    } catch {
      // Another lease prevents the open: that of a file server for a client that writes.
      return error.errno == EWOULDBLOCK ? .some : .unknown
    }
  }

  /// The same, but keeps the lease as long as the returned value lives. Only this program may create files of this name. Returns the file's
  /// facts too, read after the request for the lease. Throws ENOENT if there is no such name.
  public func leaseOurs(_ name: [UInt8]) throws(FileError) -> (lease: ReadLease, facts: FileFacts) {
    do throws(FileError) {
      let opened = try descriptor(opening: name)
      let writers = opened.writers
      let facts = try opened.facts(shown: shown(name))
      return (ReadLease(writers: writers, file: OpenFile(shown(name), opened)), facts)
    } catch {
      let facts = try facts(of: name)
      return (ReadLease(writers: error.errno == EWOULDBLOCK ? .some : .unknown, file: nil), facts)
    }
  }
}

/// The result of the request for a read lease. If it is ``Writers/none``, the lease is kept as long as this value lives.
public struct ReadLease: Sendable {
  /// The answer about writers.
  public let writers: Writers
  let file: OpenFile?
}

extension Descriptor {
  /// Requests the lease, which is released when the descriptor is closed.
  fileprivate var writers: Writers {
    if SystemCall.lease.made(on: number, { clinux_read_lease(number) }) == 0 { return .none }
    return errno == EAGAIN ? .some : .unknown
  }
}
