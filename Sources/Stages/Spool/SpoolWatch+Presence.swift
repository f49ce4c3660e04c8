import FoundationEssentials
import Jobs
import Linux
import Messages

extension SpoolWatch {
  /// Begins to watch. The first scan follows, so that no file is missed between the two.
  func begin() {
    goOnAfterPredecessor()
    guard spool.present != nil else {
      if !comeBack() { intake.isWatched() }
      return
    }
    if spool.lock.change(\.owesClaims) { strays.oweAll(now: now) }
    nextScan = now
    isHere()
  }

  private func isHere() {
    kept.mustBegin = options.keepsFiles
    candidates.leased = leased
    startWatching()
    reportWarnings()
    publish()  // Who hears that it is watched may ask at once how.
    intake.isWatched()
  }

  private func reportWarnings() {
    do throws(FileError) {
      let protectsLinks = KernelSetting.protectsLinks(environment: ProcessInfo.processInfo.environment)
      for warning in try spool.held().warnings(options, linksAreProtected: protectsLinks) { problems.report(warning) }
    } catch {
      report(.scan, error, remedy: .makePathReadable(path: options.path))
    }
  }

  /// Sets the watch, unless the spool is to be polled. If the watch cannot be set, the spool is polled.
  func startWatching() {
    stopWatching()
    candidates.hearsClosings = false
    do throws(FileError) {
      let directory = try spool.held().spool
      isRemote = try directory.fileSystem().isRemote
      guard options.watch == .inotify || options.watch == .auto && !isRemote else { return }
      let inotify = try Inotify(path: options.path)
      _ = tree.add(try inotify.watch(directory, withOpenings: leased.needsOpenings), .spool, scan: scans)
      self.inotify = inotify
      candidates.hearsClosings = true
      listen()
      if !isPartlyWatched { problems.forget(.watch) }
    } catch {
      problems.report(.unwatched(options, error))
    }
  }

  /// Continues with what the previous run of the same directory knew, after a reload. The scan that follows finds what came between the
  /// two.
  private func goOnAfterPredecessor() {
    if let remains = spool.lock.change({ $0.remains.take() }) {
      (candidates, scanIsLate) = remains
      candidates.distrust(now: now)
      candidates.goOn(by: options, now: now) { [options] name in
        wanted.containsFile(name) && (options.recursive || name.path.isEmpty) && options.group == nil
      }
    }
  }

  /// Keeps what this run knows for a run of the same directory with other options.
  func leaveToSuccessor() {
    stopWatching()
    guard spool.present != nil else { return }
    let isLate = scanIsLate || !newFolders.isEmpty || newWalk?.isLate == true || walk?.isLate == true
    spool.lock.change { $0.remains = (candidates, isLate) }
  }

  func stopWatching() {
    thread.poll(nil)
    inotify = nil
    tree = WatchTree()
  }

  var leased: Candidates.Leased { spool.present?.leased ?? Candidates.Leased.none }

  /// True if the path and `.waybill` still lead to the directories that are open here.
  func isStillThere() -> Bool {
    // Ignored: a directory that cannot be looked at is lost, and is looked for.
    (try? spool.present?.isStillThere(options.path)) ?? false
  }

  /// Handles a mount or unmount: the spool may have been unmounted, or something mounted over it.
  func heardOfMounts() {
    if spool.present == nil {
      nextScan = now
    } else if !isStillThere() {
      lose()
      nextScan = now
    }
  }

  /// Releases a directory that is not the spool any more, and forgets everything about its contents. The run looks for the spool.
  func lose() {
    stopWatching()
    (walk, newWalk) = (nil, nil)
    newFolders = []
    opened = nil
    scanIsWanted = false
    candidates.forgetAll()
    groups.forgetAll()
    strays = Strays(nextTry: now + options.rescan)
    (refusals, leftAlone) = (Refusals(), [:])
    (waiting, lateSidecars, mustReturnSidecars) = (WaitingDocuments(), [], false)
    spool.lock.held = nil
    (untaken, passedOver) = (0, 0)
    kept = KeptWatch()
    nextScan = now + options.look
    report(
      .lost, options.keepsFiles ? .keptSpoolLost(path: options.path) : .spoolLost(path: options.path),
      remedy: .lookedFor(time: options.look))
  }

  /// Tries to open a spool that is lost or was not opened yet, if the next attempt is due, and hands over its claimed files, whatever the
  /// room. Returns true if files may be claimed in it.
  func openIfLost() async throws -> Bool {
    if spool.present == nil, nextScan <= now { _ = comeBack() }
    if mustSeekStrays { try await seekStrays() }
    arm()
    return spool.present != nil && !strays.areAll
  }

  /// Opens the spool again if it is back; returns false while it is not.
  func comeBack() -> Bool {
    do throws(SpoolProblem) {
      spool.lock.held = try LockedSpool.open(options, isBack: true, on: machine)
    } catch {
      // Problems that were reported before may be solved.
      problems.forgetAll(but: .lost, and: error)
      if error.cause != .missing || !problems.isTold(.lost) { problems.report(error) }
      nextScan = now + options.look
      return false
    }
    problems.forget()
    strays.oweAll(now: now)
    isHere()
    return true
  }
}
