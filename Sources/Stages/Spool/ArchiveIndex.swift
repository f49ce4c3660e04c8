import Glibc
public import Jobs
public import Linux
import Synchronization

/// The daily lists of the files that the daemon moved into an archive. `archive_keep` removes files by these lists.
///
/// They are in `.waybill-archived` in the archive, a directory that the daemon owns: one file for each day in UTC, with a line
/// for each archived file or group. The line is added after the file has its name in the archive. After a crash between the two,
/// the file is on no list and stays for ever. Waybill cannot mark the files themselves: they belong to the users who dropped
/// them, and only the owner may set attributes.
public final class ArchiveIndex: Sendable {
  /// A day, e.g. `2026-11-21`. Days sort like their texts.
  typealias Day = String

  static let folderName = Array(".waybill-archived".utf8)
  private static let clockName = Array("clock".utf8)

  /// The archive's path, as configured.
  let path: String
  /// The number of files that could not be added to a list since ``takeFailures()`` was last called, and the last error.
  private let failures = Mutex<(count: Int, error: FileError)?>(nil)

  init(path: String) { self.path = path }

  /// Opens the directory of the lists, and creates it if it is missing.
  ///
  /// - Throws: EPERM if the directory does not belong to the daemon, or others may write to it: they could have files removed.
  func open(in archive: Directory) throws(FileError) -> Directory {
    do throws(FileError) {
      try archive.makeDirectory(Self.folderName, permissions: 0o700)
    } catch {
      guard error.errno == EEXIST else { throw error }
    }
    let folder = try archive.directory(Self.folderName)
    let facts = try folder.facts()
    guard facts.owner == ProcessRights.user, facts.permissions & 0o022 == 0 else {
      throw FileError(
        "use", path: folder.path, errno: EPERM,
        advice: "it must belong to user \(UserName.of(ProcessRights.user)) and be writable for nobody else")
    }
    return folder
  }

  /// Adds a file that was just archived to the list of the day. A failure is recorded for ``takeFailures()``: its only effect is
  /// that the file stays in the archive for ever.
  func add(
    _ path: [UInt8], in directory: Directory, of archive: Directory, holding identity: FileIdentity, at now: Timestamp
  ) {
    add(to: archive, at: now) { () throws(FileError) in
      let path = ArchivedPath(path)
      directory.refresh(path.place.name)
      let facts = try directory.facts(of: path.place.name)
      // The archive's file system may store times less precisely.
      guard facts.kind == .regular, facts.size == identity.size,
        (facts.modified &- identity.modified).magnitude < Self.coarsestTime
      else { return nil }
      return .file(ArchivedFile(path: path, facts))
    }
  }

  /// Adds a group that was just archived. `sum` is the sum of the files that were sent, or of their copies.
  func add(group name: [UInt8], holding sum: GroupSum, in archive: Directory, at now: Timestamp) {
    add(to: archive, at: now) { () throws(FileError) in
      let facts = try archive.facts(of: name)
      guard facts.kind == .directory else { return nil }
      return .group(ArchivedGroup(path: ArchivedPath(name), inode: facts.inode, changed: facts.changed, sum: sum))
    }
  }

  private func add(to archive: Directory, at now: Timestamp, _ entry: () throws(FileError) -> ArchivedEntry?) {
    do throws(FileError) {
      guard let entry = try entry() else { return }
      let folder = try open(in: archive)
      let list = try folder.openToAppend(Array(Self.day(of: now).utf8), permissions: 0o600)
      try list.write(entry.line, path: folder.path)
    } catch {
      failures.withLock { $0 = (($0?.count ?? 0) + 1, error) }
    }
  }

  /// Returns the number of files that could not be added to a list since the last call, with the last error; nil if there were
  /// none.
  public func takeFailures() -> (count: Int, error: FileError)? {
    failures.withLock { failures in
      defer { failures = nil }
      return failures
    }
  }

  /// The precision of modification times: 2 s on FAT and exFAT, 100 ns on SMB and NTFS.
  private static let coarsestTime: UInt64 = 2_000_000_000

  static func day(of time: Timestamp) -> Day { String(time.rfc3339.prefix(10)) }

  /// Returns the oldest day that has a list and lies before the day of `moment`; nil if there is none.
  public func oldestDay(before moment: Timestamp) throws(FileError) -> String? {
    let limit = Self.day(of: moment)
    let listing = try open(in: try Directory(path: path)).listing()
    var oldest: Day?
    while let entry = try listing.next() {
      guard let day = String(validating: entry.name, as: UTF8.self), Self.isDay(day), day < limit else { continue }
      if day < oldest ?? limit { oldest = day }
    }
    return oldest
  }

  private static func isDay(_ text: String) -> Bool {
    text.utf8.count == 10
      && text.utf8.enumerated().allSatisfy { index, byte in
        index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte)
      }
  }

  /// The text that ``append(_:)`` wrote; nil if there is none, or it cannot be read.
  public func readNote() -> String? {
    do throws(FileError) {
      let file = try open(in: try Directory(path: path)).openOurs(Self.clockName)
      return String(validating: try file.read(at: 0, count: 256), as: UTF8.self)
    } catch {
      return nil
    }
  }

  /// Writes a text that replaces the last one.
  public func append(_ text: String) throws(FileError) {
    let folder = try open(in: try Directory(path: path))
    do throws(FileError) {
      try folder.remove(Self.clockName)
    } catch {
      guard error.errno == ENOENT else { throw error }
    }
    try folder.create(Self.clockName, permissions: 0o600).write(Array(text.utf8), path: folder.path)
  }

  /// True if an archive already has a directory of lists, or if that cannot be determined.
  static func isThere(_ archive: String) -> Bool {
    do throws(FileError) {
      _ = try Directory(path: archive).facts(of: folderName)
      return true
    } catch {
      return error.errno != ENOENT
    }
  }

  /// Removes the directory of lists that was made for a trial. It stays if it is not empty.
  static func removeTraces(_ archive: String) {
    do throws(FileError) {
      try Directory(path: archive).removeDirectory(folderName)
    } catch {
      // It was never made, or a daemon is using it.
    }
  }
}
