import Glibc
import Jobs
import Linux
import Messages
import Seams

extension LockedSpool {
  /// Opens a spool: checks rights, creates `.waybill`, takes the lock, and proves with a trial file that a claim works. `isBack` is true if
  /// the directory was away before.
  static func open(
    _ options: SpoolOptions, isBack: Bool = false, on machine: Machine = .system
  ) throws(SpoolProblem) -> LockedSpool {
    if options.keepsFiles { return try openInPlace(options, isBack: isBack, on: machine) }
    try requireNotKept(options)
    let spool = try openSpool(options)
    let claims = try openClaims(options, spool)
    let lock = try takeLock(options, claims)
    let grantsLeases = try tryClaim(options, spool, claims)
    return LockedSpool(spool: spool, claims: claims, lock: lock, grantsLeases: grantsLeases)
  }

  /// Returns the problems that do not prevent the start but should be reported: other users could move `.waybill` away or put
  /// files in its place, or could have files sent that are not theirs.
  func warnings(_ options: SpoolOptions, linksAreProtected: Bool) throws(FileError) -> [SpoolProblem] {
    let facts = try spool.facts()
    guard facts.permissions & 0o022 != 0 else { return [] }
    var warnings: [SpoolProblem] = []
    if facts.permissions & 0o1000 == 0, keptRoot == nil {
      warnings.append(
        SpoolProblem(
          options, .exposed, .spoolExposed(path: options.path, mode: facts.mode),
          remedy: .command(command: "chmod +t \(options.path)")))
    }
    if !linksAreProtected {
      warnings.append(
        SpoolProblem(
          options, .links, .spoolLinks(path: options.path),
          remedy: .command(command: "sysctl fs.protected_hardlinks=1")))
    }
    return warnings
  }

  static func openSpool(_ options: SpoolOptions) throws(SpoolProblem) -> Directory {
    let user = ProcessRights.user
    let facts: FileFacts
    let spool: Directory
    do throws(FileError) {
      spool = try Directory(path: options.path)
      facts = try spool.facts()
    } catch {
      let (cause, message, remedy): (SpoolProblem.Cause, Message, Message) =
        switch error.errno {
        case ENOENT where options.keepsFiles:
          (.missing, .spoolMissing(path: options.path), .mountOrMake(time: options.look))
        case ENOENT:
          (
            .missing, .spoolMissing(path: options.path),
            SpoolProblem.toSee(
              options.path, .makeIt(how: DirectoryRecipe().spool(options.path).joined(separator: " && ")))
          )
        case ENOTDIR: (.notADirectory, .notADirectory(path: options.path), .nameADirectory)
        case EACCES:
          (.rights, error.message, SpoolProblem.toSee(options.path, .grantReading(user: UserName.of(user))))
        default: (.scan, error.message, .makeReadable)
        }
      throw SpoolProblem(options, cause, message, remedy: remedy, errno: error.errno)
    }
    // In a sticky directory, only its owner, the file's owner or a process with CAP_FOWNER may rename a file (rename(2)).
    if facts.permissions & 0o1000 != 0, !options.keepsFiles, facts.owner != user, !ProcessRights.mayActForOwners {
      throw SpoolProblem(
        options, .rights,
        .spoolSticky(path: options.path, owner: UserName.of(facts.owner), user: UserName.of(user)),
        remedy: .command(command: "chown \(UserName.of(user)) \(options.path)"), errno: EPERM)
    }
    return spool
  }

  private static func openClaims(_ options: SpoolOptions, _ spool: Directory) throws(SpoolProblem) -> Directory {
    do throws(FileError) {
      try spool.makeDirectory(claimsName, permissions: 0o700)
    } catch {
      guard error.errno == EEXIST else { throw refused(options, error) }
    }
    Failpoint.spoolPrepared.pass()
    let path = options.path + "/.waybill"
    var user: String { UserName.of(ProcessRights.user) }
    func foreign(_ message: Message, _ remedy: Message) -> SpoolProblem {
      SpoolProblem(options, .foreign, message, remedy: remedy)
    }
    func checked<Result>(_ calls: () throws(FileError) -> Result) throws(SpoolProblem) -> Result {
      do throws(FileError) {
        return try calls()
      } catch {
        throw SpoolProblem(options, .foreign, error, remedy: .ownClaimsDirectory(path: path, user: user))
      }
    }
    let existing = try checked { () throws(FileError) in try spool.facts(of: claimsName) }
    guard existing.kind == .directory else { throw foreign(.notADirectory(path: path), .moveItAway) }
    guard existing.owner == ProcessRights.user else {
      let owner = UserName.of(existing.owner)
      throw foreign(.belongsToAnother(path: path, owner: owner, user: user), .runAsOwner(owner: owner, path: path))
    }
    guard existing.permissions & 0o022 == 0 else {
      throw foreign(.writableForOthers(path: path, mode: existing.mode), .closeForOthers(path: path))
    }
    let claims = try checked { () throws(FileError) in try spool.directory(claimsName) }
    // Somebody may have replaced the directory between the check and the open: compare the two.
    guard try checked({ () throws(FileError) in try claims.facts().isSameFile(as: existing) }) else {
      throw foreign(.replacedWhileOpened(path: path), .seeWhoWrites(path: options.path))
    }
    return claims
  }

  static func takeLock(_ options: SpoolOptions, _ claims: Directory) throws(SpoolProblem) -> FileLock {
    do throws(FileLock.Refusal) {
      return try FileLock(in: claims, lockName)
    } catch {
      switch error {
      case .held(let pid):
        throw SpoolProblem(
          options, .locked,
          pid.map { .inUseByProcess(path: options.path, pid: $0) } ?? .inUseByAnother(path: options.path),
          remedy: .stopOtherDaemon)
      case .failed(let error): throw refused(options, error)
      }
    }
  }

  /// Claims a trial file and removes it again. Returns true if leases work: one is granted, and refused while the file is open for writing.
  private static func tryClaim(
    _ options: SpoolOptions, _ spool: Directory, _ claims: Directory
  ) throws(SpoolProblem) -> Bool {
    var made: [UInt8]?
    do throws(FileError) {
      let trial = try trialFile(in: spool)
      made = trial
      Failpoint.trialMade.pass()
      // A crash may have left one.
      try claims.removeIfPresent(trial)
      try spool.rename(trial, intoOurs: claims, as: trial)
      Failpoint.trialClaimed.pass()
      let facts = try claims.facts(of: trial)
      let isGranted = claims.writers(of: trial, whose: facts) == .none
      let isRefused = isGranted ? try isSeenOpen(trial, facts, in: claims) : false
      try claims.remove(trial)
      return isRefused
    } catch {
      // Ignored: the next trial removes it.
      if let made { for place in [spool, claims] { _ = try? place.remove(made) } }
      // A full spool must not prevent what makes room: the uploads of claimed files, and other claims.
      if error.errno == ENOSPC || error.errno == EDQUOT { return false }
      throw refused(options, error)
    }
  }

  /// True if a lease shows that a file is open for writing, while this function has it open.
  private static func isSeenOpen(
    _ name: [UInt8], _ facts: FileFacts, in directory: Directory
  ) throws(FileError) -> Bool {
    let writer = try directory.openToAppend(name, permissions: 0o600)
    return withExtendedLifetime(writer) { directory.writers(of: name, whose: facts) == .some }
  }

  /// Creates an empty file for trials, always of the same name, so that the next trial finds one that a crash left.
  private static func trialFile(in directory: Directory) throws(FileError) -> [UInt8] {
    let isMade: Void? = try unless(EEXIST) { () throws(FileError) in
      _ = try directory.create(trialName, permissions: 0o600)
    }
    if isMade != nil { return trialName }
    if let existing = try directory.factsIfPresent(trialName), existing.kind == .regular, existing.size == 0,
      existing.owner == ProcessRights.user
    {
      return trialName
    }
    let other = trialName + Array("-\(UInt64.random(in: .min ... .max))".utf8)
    _ = try directory.create(other, permissions: 0o600)
    return other
  }

  /// Returns the problem to report if the kernel refuses something that a claim needs in a directory of the spool.
  static func refused(_ options: SpoolOptions, _ error: FileError, in folder: Folder = .spool) -> SpoolProblem {
    let user = UserName.of(ProcessRights.user)
    let path = options.path + "/" + folder.shown
    let (cause, remedy): (SpoolProblem.Cause, Message) =
      switch error.errno {
      case EACCES, EPERM:
        (
          .rights,
          error.unlocking
            ?? .grantWriting(
              user: user,
              how: folder == .spool
                ? "chown \(user) \(options.path)" : "setfacl -R -m u:\(user):rwX,d:u:\(user):rwX \(path)")
        )
      case EROFS: (.readOnly, .mountReadWrite(path: options.path))
      case EINVAL where error.isOfNaming, ENOSYS where error.isOfNaming, ENOTSUP where error.isOfNaming:
        (.unsupported, .needsOtherFileSystem)
      case ENOSYS:
        (.unsupported, .sandboxRefuses)
      case EXDEV where error.isOfNaming:
        (.unsupported, .claimsElsewhere)
      case ENOSPC, EDQUOT: (.claim, .noSpaceLeft)
      default: (.claim, .makeRenamesPossible(path: options.path))
      }
    return SpoolProblem(options, cause, error.message, remedy: remedy, errno: error.errno)
  }
}
