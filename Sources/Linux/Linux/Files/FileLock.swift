import CLinux
import Glibc
import Seams

/// A lock file that one process holds, with the process's id. The kernel releases the lock when the process ends in any way. Two opens
/// exclude each other even within one process (fcntl(2), F_OFD_SETLK).
public final class FileLock: Sendable {
  /// The reason why the lock was not taken.
  public enum Refusal: Error, Hashable, Sendable {
    /// Another process holds it. The value is its id; nil if it has not written it yet.
    case held(by: Int32?)
    /// The lock file cannot be opened, locked or written.
    case failed(FileError)
  }

  private let descriptor: Descriptor
  private let shown: PathText

  /// Takes the lock without waiting, and creates the file if it is missing. The file is never removed.
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

  /// Writes the process id over the old one, which needs no new disk space if there was one. On a full disk the file stays
  /// without an id: the process that starts may be the one that makes room.
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

  /// Returns true if anybody holds the lock, without taking it. False if there is no lock file.
  public static func isHeld(in directory: Directory, _ name: [UInt8]) throws(FileError) -> Bool {
    try ifPresent { () throws(FileError) -> Bool in
      let file = try directory.openOurs(name)
      let answer = SystemCall.lock.made(on: file.descriptor.number) { clinux_lock_is_held(file.descriptor.number) }
      guard answer >= 0 else { throw FileError("examine the lock", directory.shown(name), errno: errno) }
      return answer == 1
    } ?? false
  }

  /// Changes the owner and the group of the lock file, for a program of root that takes the lock on behalf of the owner.
  public func setOwner(_ user: UInt32, group: UInt32) throws(FileError) {
    try descriptor.setOwner(user, group: group, path: shown.text)
  }

  // Closing alone would not release the lock while a forked child that has not yet called exec has the descriptor too.
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
