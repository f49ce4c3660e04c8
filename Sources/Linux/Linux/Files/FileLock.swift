import CLinux
import Glibc

/// A lock file that one process holds: it goes with the process, however that ends, and carries its pid.
///
/// An open-file-description lock (fcntl(2), F_OFD_SETLK): two openings exclude each other even within one process.
public final class FileLock: Sendable {
  /// Why the lock was not had.
  public enum Refusal: Error, Hashable, Sendable {
    /// Another holds it: its process id, nil if it has not written it yet.
    case held(by: Int32?)
    /// The lock file cannot be opened, locked or written.
    case failed(FileError)
  }

  private let descriptor: Descriptor
  private let shown: PathText

  /// Takes the lock without waiting; makes the file where there is none. The file is never removed.
  public init(in directory: Directory, _ name: [UInt8]) throws(Refusal) {
    shown = directory.shown(name)
    do throws(FileError) {
      descriptor = try Descriptor(
        at: directory.descriptor.number, name, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600,
        as: "open", shown: shown)
      guard try descriptor.facts(shown: shown).kind == .regular else {
        throw FileError("lock", shown, errno: EINVAL)
      }
    } catch {
      throw .failed(error)
    }
    let result = SystemCall.lock.made(on: descriptor.number) { clinux_lock(descriptor.number) }
    guard result == 0 else {
      let error = errno
      guard error == EAGAIN || error == EACCES else { throw .failed(FileError("lock", shown, errno: error)) }
      throw .held(by: Self.pid(in: descriptor.number))
    }
    do throws(FileError) {
      try Self.write(pid: getpid(), to: descriptor.number, shown)
    } catch {
      throw .failed(error)
    }
  }

  /// Written over what stood there, which takes no space where another pid did. On a full disk the lock goes without: what
  /// makes room there may be just what wants to start.
  private static func write(pid: Int32, to descriptor: Int32, _ shown: PathText) throws(FileError) {
    let text = Array("\(pid)\n".utf8)
    var length = text.count
    let written = SystemCall.pwrite.made(on: descriptor) { unsafe pwrite(descriptor, text, text.count, 0) }
    if written != text.count {
      guard errno == ENOSPC || errno == EDQUOT else { throw FileError("write", shown, errno: errno) }
      length = 0
    }
    let result = SystemCall.ftruncate.made(on: descriptor) { ftruncate(descriptor, off_t(length)) }
    guard result == 0 else { throw FileError("write", shown, errno: errno) }
  }

  /// Returns true if anybody holds a lock now; it is not taken to find out. False if there is no lock file.
  public static func isHeld(in directory: Directory, _ name: [UInt8]) throws(FileError) -> Bool {
    do throws(FileError) {
      let file = try directory.openOurs(name)
      let answer = SystemCall.lock.made(on: file.descriptor.number) { clinux_lock_is_held(file.descriptor.number) }
      guard answer >= 0 else { throw FileError("examine the lock", directory.shown(name), errno: errno) }
      return answer == 1
    } catch {
      guard error.errno == ENOENT else { throw error }
      return false
    }
  }

  /// Makes sure that the lock is still held by this opening.
  ///
  /// A network file system may have taken it back: a client that was silent for too long loses its locks, and NFS and CephFS
  /// then answer EIO to what it does by this descriptor. So the file is written, and the write has to arrive. ESTALE says that
  /// the name leads to another file by now, or to none: whoever locks that one does not meet this lock.
  public func confirm(in directory: Directory, _ name: [UInt8]) throws(FileError) {
    let shown = directory.shown(name)
    do throws(FileError) {
      try Self.write(pid: getpid(), to: descriptor.number, shown)
    } catch {
      guard error.errno != ENOSPC, error.errno != EDQUOT else { return }
      throw error
    }
    let result = SystemCall.fdatasync.made(on: descriptor.number) { fdatasync(descriptor.number) }
    guard result == 0 || errno == EINVAL || errno == ENOTSUP else {
      throw FileError("confirm the lock", shown, errno: errno)
    }
    directory.refresh(name)
    let standing: FileFacts
    do throws(FileError) {
      standing = try directory.facts(of: name)
    } catch {
      throw FileError("confirm the lock", shown, errno: error.errno == ENOENT ? ESTALE : error.errno)
    }
    guard try descriptor.facts(shown: shown).isSameFile(as: standing) else {
      throw FileError("confirm the lock", shown, errno: ESTALE)
    }
  }

  /// Gives the lock file to a user and a group: for a program of root's that takes a lock in place of its owner.
  public func setOwner(_ user: UInt32, group: UInt32) throws(FileError) {
    let result = SystemCall.fchown.made(on: descriptor.number) { fchown(descriptor.number, user, group) }
    guard result == 0 else {
      throw FileError("set owner of", shown, errno: errno)
    }
  }

  // Closing alone would not give it back while a child that is not yet another program has the descriptor too.
  deinit { _ = clinux_unlock(descriptor.number) }

  private static func pid(in descriptor: Int32) -> Int32? {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16) { buffer, filled in
      let count = SystemCall.pread.made(on: descriptor) {
        unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
      }
      filled = max(0, count)
    }
    return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
