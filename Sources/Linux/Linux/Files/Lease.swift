import CLinux
import Glibc

/// The kernel's answer to the question if a file is open for writing.
public enum Writers: Hashable, Sendable {
  /// Nobody has it open for writing.
  case none
  /// Somebody has.
  case some
  /// Unknown: the file may not be opened or leased, or its file system knows no leases.
  case unknown
}

extension Directory {
  /// Asks for a read lease on a file (fcntl(2), F_SETLEASE) and gives it back at once. The kernel refuses it while
  /// anybody has the file open for writing. `facts` are the file's, just taken.
  ///
  /// Somebody who opens it for writing in that moment is held up until the lease is back; the signal that says so is one
  /// that does nothing.
  public func writers(of name: [UInt8], whose facts: FileFacts) -> Writers {
    do throws(FileError) {
      return try open(name, whose: facts).descriptor.writers
    } catch {
      // Another's lease stands against the opening: a file server's, for a client that writes.
      return error.errno == EWOULDBLOCK ? .some : .unknown
    }
  }
}

extension Directory {
  /// The same, with the lease kept for as long as the answer is: nobody begins to write to the file meanwhile, but waits.
  /// The name is one that only this program gives. Throws ENOENT if there is no such name.
  ///
  /// - Returns: the lease, and the facts that the file had after it was asked for.
  public func leaseOurs(_ name: [UInt8]) throws(FileError) -> (lease: ReadLease, facts: FileFacts) {
    do throws(FileError) {
      let opened = try descriptor(opening: name)
      let writers = opened.writers
      let facts = try opened.facts(shown: shown(name))
      return (ReadLease(writers: writers, file: OpenFile(shown(name), opened, facts: facts)), facts)
    } catch {
      let facts = try facts(of: name)
      return (ReadLease(writers: error.errno == EWOULDBLOCK ? .some : .unknown, file: nil), facts)
    }
  }
}

extension OpenFile {
  /// Asks for a read lease, which stays for as long as the answer does.
  ///
  /// - Returns: the lease, and the facts that the file had after it was asked for.
  public func lease() throws(FileError) -> (lease: ReadLease, facts: FileFacts) {
    let writers = descriptor.writers
    return (ReadLease(writers: writers, file: self), try facts())
  }
}

/// The result of asking for a read lease. If it is ``Writers/none``, the lease is held until this value goes.
public struct ReadLease: Sendable {
  /// The kernel's answer about writers.
  public let writers: Writers
  private let file: OpenFile?

  init(writers: Writers, file: OpenFile?) {
    self.writers = writers
    self.file = file
  }
}

extension Descriptor {
  /// The lease goes with the descriptor.
  fileprivate var writers: Writers {
    if SystemCall.lease.made(on: number, { clinux_read_lease(number) }) == 0 { return .none }
    return errno == EAGAIN ? .some : .unknown
  }
}
