import Glibc
public import Jobs
import Linux
import Messages

/// A check of a spool without a daemon, by the same calls as the daemon's: it opens the spool, claims a trial file, watches and
/// reads the spool, and leaves nothing behind.
///
/// Run it as the daemon's user: the rights of another user prove nothing.
public struct SpoolTrial: Sendable {
  /// The problems that prevent a daemon from working there: it would not start, or would claim no files.
  public private(set) var faults: [SpoolProblem] = []
  /// The problems that only deserve attention.
  public private(set) var advice: [SpoolProblem] = []
  /// True if a daemon is using the spool. Then the spool could not be opened, which proves nothing bad.
  public private(set) var isInUse = false

  private let options: SpoolOptions

  /// Tries a spool, and the directory for the files of registered jobs if there is one.
  public init(_ options: SpoolOptions) {
    self.options = options
    do throws(SpoolProblem) {
      try open()
    } catch {
      if error.cause == .locked { isInUse = true } else { faults.append(error) }
    }
    if isInUse || faults.isEmpty { tryReading() }
    do throws(SpoolProblem) {
      try Archive(options)?.tryOut(options)
    } catch {
      faults.append(error)
    }
  }

  private mutating func open() throws(SpoolProblem) {
    let options = options
    if options.keepsFiles {
      // The daemon's own directory for it is not touched: whoever checks may be another user.
      let spool = try LockedSpool.openSpool(options)
      return look { () throws(FileError) in
        try spool.fileSystem().hasGenericLeases ? [] : [try Self.withoutLeases(options, spool)]
      }
    }
    let wasThere = Self.hasClaims(options)
    let held = try LockedSpool.open(options)
    look { () throws(FileError) in
      let leases = held.grantsLeases ? [] : [try Self.withoutLeases(options, held.spool)]
      return leases + (try held.warnings(options, linksAreProtected: SpoolWatch.protectsLinks))
    }
    if !wasThere { held.removeTraces() }
  }

  private mutating func look(_ calls: () throws(FileError) -> [SpoolProblem]) {
    do throws(FileError) {
      advice += try calls()
    } catch {
      faults.append(.ofScan(options, error))
    }
  }

  private static func withoutLeases(_ options: SpoolOptions, _ spool: Directory) throws(FileError) -> SpoolProblem {
    SpoolProblem(
      options, .unsupported, .spoolWithoutLeases(path: options.path),
      remedy: try options.isWatched(spool) ? .renameIntoOrWait(time: options.settleOpen) : .renameIntoOrSettle)
  }

  private mutating func tryReading() {
    do throws(FileError) {
      let directory = try Directory(path: options.path)
      _ = try directory.listing().next()
      guard try options.isWatched(directory) else { return }
      do throws(FileError) {
        _ = try Inotify(path: options.path).watch(directory)
      } catch {
        advice.append(.unwatched(options, error))
      }
    } catch {
      faults.append(.ofScan(options, error))
    }
  }

  private static func hasClaims(_ options: SpoolOptions) -> Bool {
    do throws(FileError) {
      _ = try Directory(path: options.path).facts(of: LockedSpool.claimsName)
      return true
    } catch {
      return error.errno != ENOENT
    }
  }
}

extension LockedSpool {
  /// Removes the `.waybill` that was created for a trial. It stays if it is not empty.
  fileprivate func removeTraces() {
    do throws(FileError) {
      try claims.remove(Self.lockName)
      try spool.removeDirectory(Self.claimsName)
    } catch {
      // If a daemon started meanwhile, it uses the directory, and creates what is missing.
    }
  }
}
