import FoundationEssentials
import Glibc
public import Jobs
import Linux
import Messages

/// A spool whose files stay where they are (`after = "keep"`). Nothing is made, renamed or removed in its directory, which may be
/// read-only. The lock, and what else `.waybill` has, is in a directory of the daemon's own (``SpoolOptions/inPlaceState``).
extension LockedSpool {
  /// The file with the name of the ledger that has the list of sent files.
  static let ledgerNote = Array("ledger".utf8)

  /// Takes over the notes that a spool has left under another name: the ledger with its list stays known, and one directory alone is to be
  /// named to a person who no longer keeps the files. The note of its path is in its own directory by now.
  private static func takeFormerNotes(_ options: SpoolOptions, into state: Directory) {
    guard let own = options.inPlaceState else { return }
    for notes in KeptNotes.all(beside: own) where notes.path == options.path && notes.state != own {
      do throws(FileError) {
        let former = try Directory(path: notes.state)
        if try KeptNote.read(ledgerNote, in: state) == nil, let ledger = try KeptNote.read(ledgerNote, in: former) {
          try KeptNote.write(ledger, ledgerNote, in: state)
        }
        if notes.isRecursive { try KeptNote.write("", KeptNotes.recursionNote, in: state) }
        try former.removeIfPresent(KeptNotes.pathNote)
      } catch {
        // Ignored: the next start tries again. Until then what is left of it is named once more than is needed.
      }
    }
  }

  /// Opens a spool whose files stay where they are.
  ///
  /// - Parameter isBack: true if the directory was away before.
  static func openInPlace(
    _ options: SpoolOptions, isBack: Bool, on machine: Machine
  ) throws(SpoolProblem) -> LockedSpool {
    let spool = try openSpool(options)
    try requireNoClaims(options, spool)
    let state = try openState(options)
    let lock = try takeLock(options, state)
    do throws(FileError) {
      if try KeptNote.read(KeptNotes.pathNote, in: state) != options.path {
        try state.removeIfPresent(KeptNotes.recursionNote)
        try KeptNote.write(options.path, KeptNotes.pathNote, in: state)
      }
      takeFormerNotes(options, into: state)
      let fileSystem = try spool.fileSystem()
      let epoch: String? =
        fileSystem.keepsInodes
        ? nil
        : MountName.current(
          of: spool.medium, noted: state, isBack: isBack,
          boot: BootName.read(environment: ProcessInfo.processInfo.environment), on: machine)
      let root = KeptRoot(
        path: options.path, state: options.inPlaceState, facts: try spool.facts(), mount: spool.mount, epoch: epoch)
      return LockedSpool(
        spool: spool, claims: state, lock: lock, grantsLeases: fileSystem.hasGenericLeases, keptRoot: root)
    } catch {
      throw SpoolProblem(options, .scan, error.message, remedy: .makeReadable, errno: error.errno)
    }
  }

  /// Throws if files are claimed by renames in the directory: they belong to jobs that another `after` has begun.
  private static func requireNoClaims(_ options: SpoolOptions, _ spool: Directory) throws(SpoolProblem) {
    var count = 0
    do throws(FileError) {
      let listing = try spool.directory(claimsName).listing()
      while let entry = try listing.next() {
        if ClaimedPath.parse(entry.name) != nil || ClaimedPath.id(entry.name) != nil { count += 1 }
      }
    } catch {
      // There is none, or it belongs to a daemon of another user, whose claims these are.
    }
    guard count > 0 else { return }
    throw SpoolProblem(
      options, .kept, .claimsLeft(path: options.path, count: count), remedy: .finishWithAfter)
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
        options, .foreign, error.message, remedy: .ownStateDirectory(path: path, user: UserName.of(ProcessRights.user)),
        errno: error.errno)
    }
  }

  /// A file as the list of sent files knows it.
  func keptFile(_ name: FileName, _ facts: FileFacts) -> KeptFile {
    KeptFile(name: name, identity: FileIdentity(facts), epoch: keptRoot?.epoch)
  }

  /// Reads a file that is to become a job and stays where it is.
  ///
  /// - Parameters:
  ///   - file: its facts, by which it was looked up in the list of sent files. If it has others, it counts as gone: an event or
  ///     a scan finds it as it is now.
  ///   - source: the directory of its path.
  func claimInPlace(
    _ file: KeptFile, from source: Directory, as id: JobID, mayHaveBeenSent: Bool
  ) throws(FileError) -> Taking {
    let name = file.name.last.bytes
    guard let facts = try source.factsIfPresent(name), facts.kind == .regular, FileIdentity(facts) == file.identity
    else { return .gone }
    var (attributes, loss): ([String: [UInt8]], AttributeLoss?) = ([:], nil)
    if source.mayHaveAttributes(name) {
      do throws(FileError) {
        let opened = try source.open(name)
        guard try FileIdentity(of: opened) == file.identity else { return .gone }
        (attributes, loss) = try self.attributes(of: opened)
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

  /// True if the path still leads to the directory that was opened.
  func isStillThere(_ path: String) throws(FileError) -> Bool {
    if let keptRoot { return try keptRoot.isThere() }
    let spool = try spool
    guard try Directory(path: path).facts().isSameFile(as: try spool.facts()) else { return false }
    return try spool.facts(of: LockedSpool.claimsName).isSameFile(as: try claims.facts())
  }
}

extension SpoolDirectory {
  /// Returns true if the medium of a file that stays where it is was taken out, or fails, or another one is in its place.
  public func isAway(_ file: FileIdentity) -> Bool {
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
