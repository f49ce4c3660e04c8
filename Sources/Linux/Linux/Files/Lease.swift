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
  /// Asks for a read lease on a file (fcntl(2), F_SETLEASE) and releases it at once. The kernel refuses it while anybody has the
  /// file open for writing. `facts` are the file's facts, read just before.
  ///
  /// If somebody opens the file for writing at that moment, the open waits until the lease is released. The kernel then sends
  /// this process a signal, which is ignored.
  public func writers(of name: [UInt8], whose facts: FileFacts) -> Writers { openUnwritten(name, whose: facts).writers }

  /// The same; if nobody has the file open for writing, the file stays open. Its lease is given back here too, so no open waits for it.
  ///
  /// - Returns: the answer, and the open file. It is nil for other answers, and if the lease cannot be given back.
  public func openUnwritten(_ name: [UInt8], whose facts: FileFacts) -> (writers: Writers, file: OpenFile?) {
    do throws(FileError) {
      let file = try open(name, whose: facts)
      let writers = file.descriptor.writers
      return (writers, writers == .none && file.descriptor.endLease() ? file : nil)
    } catch {
      // Another lease prevents the open: that of a file server for a client that writes.
      return (error.errno == EWOULDBLOCK ? .some : .unknown, nil)
    }
  }
}

extension Directory {
  /// The same, but keeps the lease as long as the returned value lives: until then, an open for writing waits. Only this program
  /// may create files of this name. Throws ENOENT if there is no such name.
  ///
  /// - Returns: the lease, and the file's facts, read after the request for the lease.
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
  /// Asks for a read lease, which is kept as long as the returned value lives.
  ///
  /// - Returns: the lease, and the file's facts, read after the request for the lease.
  public func lease() throws(FileError) -> (lease: ReadLease, facts: FileFacts) {
    let writers = descriptor.writers
    return (ReadLease(writers: writers, file: self), try facts())
  }
}

/// The result of the request for a read lease. If it is ``Writers/none``, the lease is kept as long as this value lives.
public struct ReadLease: Sendable {
  /// The answer about writers.
  public let writers: Writers
  private let file: OpenFile?

  init(writers: Writers, file: OpenFile?) {
    self.writers = writers
    self.file = file
  }
}

extension Descriptor {
  /// Requests the lease, which is released when the descriptor is closed.
  fileprivate var writers: Writers {
    if SystemCall.lease.made(on: number, { clinux_read_lease(number) }) == 0 { return .none }
    return errno == EAGAIN ? .some : .unknown
  }

  /// Gives the lease back; returns false if that failed, so that the descriptor has to be closed.
  fileprivate func endLease() -> Bool {
    SystemCall.lease.made(on: number, { clinux_end_lease(number) }) == 0
  }
}
