import Glibc
import Jobs
import LinuxFiles

extension SpoolWatch {
  /// Reads the hints that wait. Bounded, so that a flood does not keep the run from claiming.
  func readEvents() {
    guard let inotify else { return }
    do throws(FileError) {
      for _ in 0..<64 {
        let events = try inotify.read()
        if events.isEmpty { return }
        let now = ContinuousClock.now
        for event in events { heard(event, now) }
        if self.inotify == nil { return }
      }
    } catch {
      problems.tell(
        SpoolProblem(options, .watch, error.words, remedy: "the directory is polled meanwhile", errno: error.errno))
      stopWatching()
      scanIsWanted = true
    }
  }

  private func heard(_ event: Inotify.Event, _ now: ContinuousClock.Instant) {
    if event.happening.contains(.overflow) {
      heardOverflow(now)
    } else if let folder = tree.folder(of: event.watch) {
      if event.name.isEmpty {
        heardOfItself(event, folder)
      } else if folder == .spool, event.name == HeldSpool.claimsName {
        if !isStillThere() { lose() }
      } else if event.happening.contains(.isDirectory) {
        if options.recursive { heardOfFolder(event, folder.child(event.name)) }
      } else if wanted.contains(event.name) {
        candidates.heard(event.happening, folder.file(event.name), cookie: event.cookie, now: now, look: look)
      } else {
        candidates.heardOfIgnored(event.happening, folder.file(event.name), cookie: event.cookie, now: now)
      }
    }
  }

  private func heardOverflow(_ now: ContinuousClock.Instant) {
    problems.tell(
      SpoolProblem(
        options, .overflow, "more happened in \(options.path) than the kernel's queue holds; it is read anew",
        remedy: "if this is frequent, raise fs.inotify.max_queued_events"))
    candidates.distrust(now: now)
    scanIsWanted = true
  }

  /// What happened to a watched directory itself.
  private func heardOfItself(_ event: Inotify.Event, _ folder: Folder) {
    guard !event.happening.isDisjoint(with: .lost) else { return }
    if folder == .spool {
      if !isStillThere() {
        lose()
      } else if event.happening.contains(.ended) {
        // Still there and watched no longer: the scan sets a new watch.
        stopWatching()
        scanIsWanted = true
      }
    } else if event.happening.contains(.ended) {
      tree.ended(event.watch)
    } else if !event.happening.contains(.moved) || tree.hasLeft(folder) {
      forget(folder)
    }
  }

  /// The facts of a regular file in the spool; nil for whatever else, and for what went meanwhile.
  func look(_ name: FileName) -> FileFacts? {
    do throws(FileError) {
      let (directory, last) = try whereabouts(name)
      if isRemote { directory.refresh(last) }
      let facts = try directory.facts(of: last)
      return facts.kind == .regular ? facts : nil
    } catch {
      if !error.isOfSomethingGone { tellOfScan(error) }
      return nil
    }
  }

  /// Whether a file in the spool is open for writing, where a lease can tell: one of ours, or any with CAP_LEASE.
  func writers(_ name: FileName, _ facts: FileFacts) -> Writers {
    // Where no lease is to be had, to ask would only be one more opening to hear of.
    guard spool.present?.grantsLeases == true, mayLeaseOthersFiles || facts.owner == ProcessRights.user else {
      return .unknown
    }
    do throws(FileError) {
      let (directory, last) = try whereabouts(name)
      return directory.writers(of: last, whose: facts)
    } catch {
      return .unknown
    }
  }

  /// The directory that a dropped name stands in, and its name there.
  func whereabouts(_ name: FileName) throws(FileError) -> (Directory, [UInt8]) {
    guard options.recursive else { return (try spool.held().spool, name.bytes) }
    return (try open(Folder(of: name)), name.last.bytes)
  }

  /// A directory below the spool. One that is no longer there, or is no directory any more, throws an error that
  /// ``LinuxFiles/FileError/isOfSomethingGone`` knows.
  func open(_ folder: Folder) throws(FileError) -> Directory {
    let held = try spool.held()
    if folder == .spool { return held.spool }
    if let opened, opened.folder == folder { return opened.directory }
    let directory = try held.spool.directory(below: folder.path)
    opened = (folder, directory)
    return directory
  }

  func tellOfScan(_ error: FileError) {
    problems.tell(.ofScan(options, error))
  }
}

extension FileError {
  /// Whether what it is about was there a moment ago, and something else or nothing is by now.
  var isOfSomethingGone: Bool { [ENOENT, ENOTDIR, ELOOP].contains(errno) }
}
