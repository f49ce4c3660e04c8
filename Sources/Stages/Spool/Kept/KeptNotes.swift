import Glibc
import Jobs
import Linux
import Messages

/// The notes about a directory whose files a spool keeps, or kept until now. They outlive the spool's section in the configuration.
struct KeptNotes {
  /// The file with the path of the directory.
  static let pathNote = Array("path".utf8)
  /// The file that is there if files in directories below it were kept too.
  static let recursionNote = Array("recursive".utf8)

  /// The daemon's directory that has the notes.
  let state: String
  /// The directory of the files.
  let path: String
  /// True if files in directories below it were kept too.
  let isRecursive: Bool

  /// The name of the spool that has kept the files.
  var spool: String { state.lastIndex(of: "/").map { String(state[state.index(after: $0)...]) } ?? state }

  /// Returns the notes of all spools of a daemon, given the directory of one; none for nearly all daemons.
  static func all(beside own: String) -> [KeptNotes] {
    guard let slash = own.lastIndex(of: "/") else { return [] }
    let folder = String(own[..<slash])
    var found: [KeptNotes] = []
    do throws(FileError) {
      let names = try Directory(path: folder).listing()
      while let entry = try names.next() {
        if let notes = KeptNotes(in: "\(folder)/\(String(decoding: entry.name, as: UTF8.self))") { found.append(notes) }
      }
    } catch {
      // Ignored: no spool has kept its files, or others may not look at the daemon's directory.
    }
    return found
  }

  private init?(in state: String) {
    do throws(FileError) {
      let directory = try Directory(path: state)
      guard let path = try directory.note(Self.pathNote) else { return nil }
      self.state = state
      self.path = path
      isRecursive = try directory.note(Self.recursionNote) != nil
    } catch {
      // Ignored: what is in the way here, such as a file, is the notes of no spool. Those of others are looked at all the same.
      return nil
    }
  }

  /// Returns true if a spool with these options would take files that were kept.
  ///
  /// Directories are compared as they are now, also if links or other mounts lead to them. One that is not there, such as that of a card
  /// that is away, is in the way of its own path alone.
  func areMet(by options: SpoolOptions) -> Bool {
    if path == options.path { return true }
    do throws(FileError) {
      // stat(2) makes no automount look for its medium.
      let (kept, spool) = (try FileFacts(following: path), try FileFacts(following: options.path))
      if kept.isSameFile(as: spool) { return true }
      // No spool enters another file system than its own.
      guard kept.device == spool.device, kept.kind == .directory, spool.kind == .directory else { return false }
      let root = try Directory(lookingIn: path)
      guard let kept = try root.pathInFileSystem(),
        let spool = try Directory(lookingIn: options.path).pathInFileSystem()
      else { return false }
      if let below = kept.path(in: spool) { return Self.takes(below, options) && !Self.isEmpty(root) }
      guard isRecursive, let below = spool.path(in: kept) else { return false }
      return !below.split(separator: UInt8(ascii: "/")).contains { $0.first == UInt8(ascii: ".") }
    } catch {
      return false
    }
  }

  /// Returns true if a spool takes files from the directory with this path below its own.
  private static func takes(_ below: [UInt8], _ options: SpoolOptions) -> Bool {
    let wanted = WantedNames(options)
    let names = below.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard options.group == nil else {
      // A group is taken with all that is in its directory.
      return names.first.map { wanted.contains($0) && wanted.isMatched(FileName(bytes: $0)) } ?? false
    }
    return options.recursive && below.count < Folder.longestPath && names.allSatisfy { wanted.contains($0) }
  }

  /// Returns true if there is nothing in a directory, as in that where a card is mounted which is away: nothing in it was sent. Once the card
  /// is there, the directory is on another file system.
  private static func isEmpty(_ directory: Directory) -> Bool {
    do throws(FileError) {
      return try directory.listing().next() == nil
    } catch {
      return false
    }
  }
}

extension LockedSpool {
  /// Throws if files that a spool of these options would take were kept until now, under whatever name: all would be sent again and taken
  /// away.
  static func requireNotKept(_ options: SpoolOptions) throws(SpoolProblem) {
    guard let own = options.inPlaceState,
      let notes = KeptNotes.all(beside: own).first(where: { $0.areMet(by: options) })
    else { return }
    throw SpoolProblem(
      options, .kept, .keptUntilNow(path: notes.path, spool: notes.spool), remedy: .removeNotes(path: notes.state))
  }
}

/// Lines in small files of the directory that stands for `.waybill`.
extension Directory {
  /// Returns the line of a note; nil if there is no such file.
  func note(_ name: [UInt8]) throws(FileError) -> String? {
    try ifPresent { () throws(FileError) -> String in
      // A path has at most PATH_MAX bytes (4096), and a line its end.
      let bytes = try openOurs(name).read(at: 0, count: 4097)
      return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }

  /// Writes the line, under its name at once. It is not synced: a note that a power cut takes is made anew, and costs looks at bytes.
  func write(_ line: String, toNote name: [UInt8]) throws(FileError) {
    let own = name + Array(".new-".utf8)
    try removeIfPresent(own)
    try create(own, permissions: 0o600)
      .write(Array((line + "\n").utf8), path: "\(path)/\(String(decoding: own, as: UTF8.self))")
    try rename(own, replacing: name)
  }
}
