import FoundationEssentials
import Jobs
import Linux
import Messages

extension SpoolWatch {
  /// Starts watching; the first scan follows, so that no file is missed between the two.
  func begin() {
    goOnAfterPredecessor()
    guard spool.present != nil else {
      // A shared one is taken by the run, which asks for its tenure first.
      if !spool.isShared, comeBack() { return }
      if spool.isShared { nextScan = now }
      return intake.isWatched()
    }
    isBack = spool.owesClaims
    hearOfLoss()
    if inotify == nil { startWatching() }
    reportWarnings()
    nextScan = now
    intake.isWatched()
  }

  private func reportWarnings() {
    do throws(FileError) {
      let warnings = try spool.held().warnings(options, linksAreProtected: Self.protectsLinks)
      for warning in warnings { problems.report(warning) }
    } catch {
      problems.report(
        SpoolProblem(options, .scan, error.message, remedy: .makePathReadable(path: options.path), errno: error.errno))
    }
  }

  /// True if the kernel lets users link only files that they may write or that are theirs (fs.protected_hardlinks of
  /// proc_sys_fs(5)). Also true if that cannot be read, so that nothing is reported.
  ///
  /// A unit has no /proc/sys (`ProcSubset=pid`). It passes the file's text as of its start instead (`LoadCredential=`).
  static var protectsLinks: Bool { protectsLinks(environment: ProcessInfo.processInfo.environment) }

  static func protectsLinks(
    environment: [String: String], kernel: String = "/proc/sys/fs/protected_hardlinks"
  ) -> Bool {
    let passed = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/protected_hardlinks" }
    for path in [kernel, passed].compactMap(\.self) {
      do throws(FileError) {
        return try readSmallFile(path: path, limit: 16).first != UInt8(ascii: "0")
      } catch {
        continue  // It is not there, or may not be read: the next one is asked.
      }
    }
    return true
  }

  /// Sets the watch, unless the spool is to be polled. If that fails, the spool is polled.
  func startWatching() {
    stopWatching()
    candidates.hearsClosings = false
    do throws(FileError) {
      let directory = try spool.held().spool
      isRemote = try directory.fileSystem().isRemote
      guard options.watch == .inotify || options.watch == .auto && !isRemote else { return }
      let inotify = try Inotify(path: options.path)
      _ = tree.add(try inotify.watch(directory), .spool, scan: scans)
      self.inotify = inotify
      candidates.hearsClosings = true
      listen()
      if !isPartlyWatched { problems.forget(.watch) }
    } catch {
      problems.report(unwatched(error))
    }
  }

  /// Continues with the knowledge of the previous run of the same directory, for a reload that changes its options.
  private func goOnAfterPredecessor() {
    candidates.leased = leased
    guard let remains = spool.removeRemains() else { return }
    candidates = remains.candidates
    candidates.leased = leased
    if remains.recursive == options.recursive, remains.isOfGroups == (options.group != nil),
      remains.watch == options.watch, let inotify = remains.inotify
    {
      // The events since then wait to be read.
      (tree, scans, self.inotify) = (remains.tree, remains.scans, inotify)
      (isRemote, isPartlyWatched, scanIsLate) = (remains.isRemote, remains.isPartlyWatched, remains.scanIsLate)
      newFolders = remains.newFolders
      listen()
    } else {
      candidates.distrust(now: now)
    }
    candidates.goOn(by: SettlingTimes(options), now: now) { [options] name in
      wanted.containsFile(name.last.bytes) && (options.recursive || name.path.isEmpty) && options.group == nil
    }
  }

  /// Leaves its knowledge to a run of the same directory with other options.
  func leaveToSuccessor() {
    thread.poll(nil)
    guard spool.present != nil else { return stopWatching() }
    spool.store(
      Remains(
        candidates: candidates, inotify: inotify, tree: tree, scans: scans, newFolders: newFolders, isRemote: isRemote,
        isPartlyWatched: isPartlyWatched, scanIsLate: scanIsLate || newWalk?.isLate == true || walk?.isLate == true,
        recursive: options.recursive, isOfGroups: options.group != nil, watch: options.watch))
    inotify = nil
  }

  func stopWatching() {
    thread.poll(nil)
    inotify = nil
    tree = WatchTree()
  }

  /// The files for which a lease can tell, in the spool as it is held now.
  var leased: Candidates.Leased {
    guard spool.present?.grantsLeases == true else { return .none }
    return mayLeaseOthersFiles ? .all : .ofUser(ProcessRights.user)
  }

  /// True if the path and `.waybill` still lead to the directories that are held.
  func isStillThere() -> Bool {
    guard let held = spool.present else { return false }
    do throws(FileError) {
      let there = try Directory(path: options.path).facts()
      guard there.isSameFile(as: try held.spool.facts()) else { return false }
      return try held.spool.facts(of: HeldSpool.claimsName).isSameFile(as: try held.claims.facts())
    } catch {
      return false
    }
  }

  /// Handles a mount or unmount: perhaps of the spool, or over it.
  func heardOfMounts() {
    if spool.present == nil {
      nextScan = now
    } else if !isStillThere() {
      lose()
      nextScan = now
    }
  }

  /// Releases a directory that is no longer the spool, and has it looked for from now on.
  func lose() {
    spool.present?.tenure?.end("its directory was removed, replaced or unmounted, or cannot be read")
    letGo()
    nextScan = now + options.poll
    problems.report(
      SpoolProblem(
        options, .lost, "\(options.path) was removed, replaced or unmounted, or its .waybill was",
        remedy: "make or mount it again; it is looked for every \(options.poll.inUnits)"))
  }

  /// Gives up the spool with all that is known of it.
  func letGo() {
    stopWatching()
    walk = nil
    newWalk = nil
    newFolders = []
    emptied = EmptiedFolders()
    opened = nil
    // Another host may have ended them, under their ids.
    if spool.isShared { begunPairs = BegunPairs() }
    scanIsWanted = false
    isBack = false
    candidates.forgetAll()
    strays = Strays(nextLook: now + options.rescan)
    refusals = Refusals()
    waiting = WaitingDocuments()
    groups.forgetAll()
    leftAlone = LeftAlone()
    refusedSizes = RefusedSizes()
    spool.hold(nil)
    untaken.reset()
  }

  /// Opens the spool again if it is back; returns false while it is not.
  func comeBack() -> Bool {
    do throws(SpoolProblem) {
      spool.hold(
        try HeldSpool.open(options, spool.daemon, completed: hold.completed, on: machine, now: spool.wallClock()))
    } catch {
      if spool.isShared, error.cause == .locked {
        standBy()
        return false
      }
      // A fault of before may be mended by now.
      problems.forgetAll(but: .lost, and: error)
      if error.cause != .missing || !problems.isTold(.lost) { problems.report(error) }
      nextScan = now + options.poll
      return false
    }
    problems.forget()
    isBack = true
    hold.nextTry = now
    hearOfLoss()
    // It may be another file system.
    candidates.leased = leased
    startWatching()
    reportWarnings()
    intake.isWatched()
    return true
  }

  /// Hands over the claimed files of a spool that is opened again, or only now: some may be in no ledger. If they cannot be read,
  /// that is tried again.
  func handOverWhatIsBack() async throws {
    guard let held = spool.present else { return isBack = false }
    do {
      if let tenure = held.tenure {
        guard try await handOverWhatIsShared(held, tenure) else { return isBack = false }
      } else {
        let isPatient = self.isPatient || spool.holding.mustReadAll
        let listing = try ClaimListing(held, marker: options.group) { _ in isPatient }
        try await handOver(listing) { try await self.intake.adopt($0) }
        guard spool.present != nil else { return isBack = false }
        if isPatient, let first = listing.setAside.first { throw first.error }
        strays.endLook(listing.setAside, now: now)
        try await intake.adoptedAll()
        spool.handedOver()
        reportSetAside(listing.setAside)
      }
      isBack = false
      hold.failedTries = 0
    } catch let error as FileError {
      retryLater(error)
    } catch is LostHold {
      // Whoever must hear of it has heard of it, and the run begins anew.
      isBack = false
    }
  }
}
