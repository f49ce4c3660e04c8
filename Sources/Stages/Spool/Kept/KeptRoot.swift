import Glibc
import Jobs
import Linux

/// A directory whose files stay where they are, as it was when it was opened. It is not held open: a medium that somebody takes out
/// can be unmounted.
struct KeptRoot: Sendable {
  /// The path of the directory.
  let path: String
  /// The path of the daemon's directory that stands for `.waybill`.
  let state: String?
  /// The facts by which it is known again.
  let facts: FileFacts
  /// The number of its mount; nil if that is not known.
  let mount: UInt64?
  /// The name of the time for which the medium is there, on a file system whose inodes do not last; nil on one that keeps them.
  let epoch: String?

  /// Opens the directory, to look up names in it. Throws ENOENT if another one is there now.
  func open() throws(FileError) -> Directory {
    let directory = try Directory(lookingIn: path)
    guard try directory.facts().isSameFile(as: facts) else {
      throw FileError("use", path: path, errno: ENOENT, advice: "another directory is there now")
    }
    return directory
  }

  /// True if the path leads to the same directory on the same mount.
  func isThere() throws(FileError) -> Bool {
    let directory = try Directory(lookingIn: path)
    return try directory.facts().isSameFile(as: facts) && directory.mount == mount
  }

  /// True if the directory is there and can be read. A medium that was pulled out answers from memory until something is read.
  func canBeRead() -> Bool {
    do throws(FileError) {
      _ = try open().listing().next()
      return try isThere()
    } catch {
      return false
    }
  }
}

/// The name of the time for which a medium is there. It tells if the ctimes and inodes that were recorded still count, on a file system that
/// makes up new ones at each mount.
///
/// It is kept beside the lock, with the boot and the medium for which it was made: a restart of the daemon goes on with it, also in
/// a mount namespace of its own, and a medium that comes back gets another one. In doubt the name is a new one, which costs a look at the bytes.
enum MountName {
  /// The file in the directory that stands for `.waybill`.
  static let file = Array("mount".utf8)

  /// Returns the name for the medium that is there.
  ///
  /// - Parameters:
  ///   - medium: see ``Directory/medium``.
  ///   - isBack: true if the directory was away since the name was made.
  ///   - boot: the name of this boot; nil if it is not known.
  static func current(
    of medium: String?, noted claims: Directory, isBack: Bool, boot: String?, on machine: Machine
  ) -> String {
    var random = machine.random
    let fresh = String(random.next(), radix: 16)
    guard let boot, let medium else { return fresh }
    let mark = " \(boot) \(medium)"
    do throws(FileError) {
      if !isBack, let noted = try KeptNote.read(file, in: claims), noted.hasSuffix(mark) {
        return String(noted.dropLast(mark.count))
      }
      try KeptNote.write(fresh + mark, file, in: claims)
    } catch {
      // Without the note, the next start reads the files that it would have known.
    }
    return fresh
  }
}

/// A line in a small file of the directory that stands for `.waybill`.
enum KeptNote {
  /// A path has at most PATH_MAX bytes (4096), and a line its end.
  private static let mostBytes = 4097

  /// Returns the line; nil if there is no such file.
  static func read(_ name: [UInt8], in claims: Directory) throws(FileError) -> String? {
    try ifPresent { () throws(FileError) -> String in
      let bytes = try claims.openOurs(name).read(at: 0, count: mostBytes)
      return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }

  /// Writes the line, under its name at once. It is not synced: a note that a power cut takes is made anew, and costs looks at bytes.
  static func write(_ line: String, _ name: [UInt8], in claims: Directory) throws(FileError) {
    let own = name + Array(".new-".utf8)
    try claims.removeIfPresent(own)
    let path = "\(claims.path)/\(String(decoding: own, as: UTF8.self))"
    try claims.create(own, permissions: 0o600).write(Array((line + "\n").utf8), path: path)
    try claims.rename(own, replacing: name)
  }
}
