import FoundationEssentials
import Glibc
package import Jobs
import Linux
import Messages

/// A spool whose files stay where they are (`after = "keep"`). Nothing is made, renamed or removed in its directory, which may be
/// read-only. The lock, and what else `.waybill` has, is in a directory of the daemon's own (``SpoolOptions/inPlaceState``).
extension LockedSpool {
  /// The file with the name of the ledger that has the list of sent files.
  static let ledgerNote = Array("ledger".utf8)
  /// The file with the name of the mount, its boot and its medium.
  private static let mountNote = Array("mount".utf8)

  /// - Parameter isBack: true if the directory was away before.
  static func openInPlace(
    _ options: SpoolOptions, isBack: Bool, on machine: Machine
  ) throws(SpoolProblem) -> LockedSpool {
    let spool = try openSpool(options)
    try requireNoClaims(options, spool)
    let state = try openState(options)
    let lock = try takeLock(options, state)
    do throws(FileError) {
      if try state.note(KeptNotes.pathNote) != options.path {
        try state.write(options.path, toNote: KeptNotes.pathNote)
      }
      let fileSystem = try spool.fileSystem()
      let epoch: String? =
        fileSystem.keepsInodes
        ? nil
        : mountName(
          of: spool.medium, noted: state, isBack: isBack,
          boot: KernelSetting.bootName(environment: ProcessInfo.processInfo.environment), on: machine)
      let root = KeptRoot(
        path: options.path, facts: try spool.facts(), mount: spool.mount, epoch: epoch)
      return LockedSpool(
        spool: spool, claims: state, lock: lock, grantsLeases: fileSystem.hasGenericLeases, keptRoot: root)
    } catch {
      throw SpoolProblem(options, .scan, error, remedy: .makeReadable)
    }
  }

  /// Throws if files are claimed by renames in the directory: they belong to jobs that another `after` has begun.
  private static func requireNoClaims(_ options: SpoolOptions, _ spool: Directory) throws(SpoolProblem) {
    var count = 0
    do throws(FileError) {
      let listing = try spool.directory(claimsName).listing()
      while let entry = try listing.next() {
        if ClaimedPath.id(ofTop: entry.name) != nil { count += 1 }
      }
    } catch {
      // Ignored: there is no `.waybill`, or it has the claims of another user's daemon.
    }
    guard count > 0 else { return }
    throw SpoolProblem(options, .kept, .claimsLeft(path: options.path, count: count), remedy: .finishWithAfter)
  }

  private static func openState(_ options: SpoolOptions) throws(SpoolProblem) -> Directory {
    guard let path = options.inPlaceState, let slash = path.lastIndex(of: "/"),
      let above = path[..<slash].lastIndex(of: "/")
    else { preconditionFailure("a spool whose files stay where they are needs a directory of the daemon") }
    do throws(FileError) {
      var directory = try Directory(path: String(path[..<above]))
      for name in [path[path.index(after: above)..<slash], path[path.index(after: slash)...]] {
        try directory.makeDirectoryIfMissing(Array(name.utf8))
        directory = try directory.directory(Array(name.utf8))
      }
      return directory
    } catch {
      throw SpoolProblem(
        options, .foreign, error, remedy: .ownStateDirectory(path: path, user: UserName.of(ProcessRights.user)))
    }
  }

  /// Returns a name for one mount of a medium (``Directory/medium``), on a file system that makes up new inodes and ctimes at each mount:
  /// recorded ones count only under the same name. It is noted with boot and medium, for a restart of the daemon; a medium that comes back
  /// (`isBack`) gets another one. In doubt the name is new, and the bytes are read again.
  static func mountName(
    of medium: String?, noted claims: Directory, isBack: Bool, boot: String?, on machine: Machine
  ) -> String {
    var random = machine.random
    let fresh = String(random.next(), radix: 16)
    guard let boot, let medium else { return fresh }
    let mark = " \(boot) \(medium)"
    do throws(FileError) {
      if !isBack, let noted = try claims.note(mountNote), noted.hasSuffix(mark) {
        return String(noted.dropLast(mark.count))
      }
      try claims.write(fresh + mark, toNote: mountNote)
    } catch {
      // Without the note, the next start reads files that are known.
    }
    return fresh
  }

  /// A file as the list of sent files knows it.
  func keptFile(_ name: FileName, _ facts: FileFacts) -> KeptFile {
    KeptFile(name: name, identity: FileIdentity(facts), epoch: keptRoot?.epoch)
  }

  /// Reads a file that is to become a job and stays where it is. If its facts have changed since it was looked up, it counts as gone.
  func claimInPlace(
    _ file: KeptFile, from source: Directory, as id: JobID, mayHaveBeenSent: Bool
  ) throws(FileError) -> Taking {
    let name = file.name.last.bytes
    guard let facts = try source.factsIfPresent(name), facts.kind == .regular, FileIdentity(facts) == file.identity
    else { return .gone }
    var (attributes, loss): ([String: [UInt8]], Message?) = ([:], nil)
    if source.mayHaveAttributes(name) {
      do throws(FileError) {
        let opened = try source.open(name)
        guard try FileIdentity(of: opened) == file.identity else { return .gone }
        (attributes, loss) = try self.attributes(of: opened, file.name)
      } catch {
        if error.isOfSomethingGone { return .gone }
        // The job asks about a file that may not be read.
        guard error.errno == EACCES else { throw error }
      }
    }
    let claim = Claim(
      id: id, dropped: file.name, identity: file.identity, attributes: attributes, kept: file,
      mayHaveBeenSent: mayHaveBeenSent)
    return .taken(claim, loss: loss)
  }
}

extension SpoolDirectory {
  /// Returns true if the medium of a file that stays where it is was taken out, or fails, or another one is in its place.
  package func isAway(_ file: FileIdentity) -> Bool {
    guard let held = present else { return true }
    do throws(FileError) {
      let root = try held.spool
      // A medium that was pulled out answers from memory until something is read.
      _ = try root.listing().next()
      return try root.facts().device != file.device
    } catch {
      return error.errno != EACCES
    }
  }
}

/// A directory whose files stay where they are. It is not held open: a medium that somebody takes out can be unmounted.
struct KeptRoot: Sendable {
  let path: String
  let facts: FileFacts
  /// The number of its mount; nil if that is not known.
  let mount: UInt64?
  /// The name of the mount, on a file system whose inodes do not last; nil where they last.
  let epoch: String?

  /// Opens the directory, to look up names in it. Throws ENOENT if another one is there now.
  func open() throws(FileError) -> Directory {
    let directory = try Directory(lookingIn: path)
    guard try directory.facts().isSameFile(as: facts) else {
      throw FileError("use", path: path, errno: ENOENT, advice: .anotherDirectory)
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

/// The notes about a directory whose files a spool keeps, or kept until now. They outlive the spool's section in the configuration.
struct KeptNotes {
  /// The file with the path of the directory.
  static let pathNote = Array("path".utf8)

  /// The daemon's directory that has the notes.
  let state: String
  let path: String

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
    } catch {
      // Ignored: something without notes, such as a file. The notes of spools are read all the same.
      return nil
    }
  }

  /// Returns true if a spool with these options would take files that were kept, or may have been. Directories are compared as they are
  /// now, whatever links or mounts lead to them; one that is not there is compared by its path alone.
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
      // A group is taken with all that is in its directory.
      if kept.isIn(spool) { return (options.recursive || options.group != nil) && !Self.isEmpty(root) }
      guard let below = spool.path(in: kept) else { return false }
      return !below.split(separator: UInt8(ascii: "/")).contains { $0.first == UInt8(ascii: ".") }
    } catch {
      return false
    }
  }

  /// Returns true for an empty directory, such as the mount point of a card that is away: nothing in it was sent.
  private static func isEmpty(_ directory: Directory) -> Bool {
    do throws(FileError) {
      return try directory.listing().next() == nil
    } catch {
      return false
    }
  }
}

extension LockedSpool {
  /// Throws if files that a spool of these options would take were kept until now: all would be sent again and taken away.
  static func requireNotKept(_ options: SpoolOptions) throws(SpoolProblem) {
    guard let own = options.inPlaceState,
      let notes = KeptNotes.all(beside: own).first(where: { $0.areMet(by: options) })
    else { return }
    throw SpoolProblem(options, .kept, .keptUntilNow(path: notes.path), remedy: .removeNotes(path: notes.state))
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

  /// Writes a note, which appears whole under its name. It is not synced: a note that a power cut takes is made anew.
  func write(_ line: String, toNote name: [UInt8]) throws(FileError) {
    let own = name + Array(".new-".utf8)
    try removeIfPresent(own)
    try create(own, permissions: 0o600)
      .write(Array((line + "\n").utf8), path: "\(path)/\(String(decoding: own, as: UTF8.self))")
    try rename(own, replacing: name)
  }
}
