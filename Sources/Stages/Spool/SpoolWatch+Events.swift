import Glibc
import Jobs
import Linux
import Messages

extension SpoolWatch {
  /// Reads the waiting events. Their number and the time for them are limited, so that very many events do not keep the run from claiming.
  func readEvents() {
    guard let inotify else { return }
    do throws(FileError) {
      let end = now + Self.longestSilence / 2
      for _ in 0..<64 where now < end {
        let events = try inotify.read()
        if events.isEmpty { return }
        let now = self.now
        for event in events { heard(event, now) }
        if self.inotify == nil { return }
      }
    } catch {
      report(.watch, error, remedy: .polledMeanwhile)
      stopWatching()
      scanIsWanted = true
    }
  }

  private func heard(_ event: Inotify.Event, _ now: ContinuousClock.Instant) {
    if event.happening.contains(.overflow) {
      report(.overflow, .queueOverflowed(path: options.path), remedy: .raiseQueuedEvents)
      candidates.distrust(now: now)
      scanIsWanted = true
    } else if let folder = tree.folder(of: event.watch) {
      if event.name.isEmpty {
        heardOfItself(event, folder)
      } else if folder == .spool, event.name == LockedSpool.claimsName {
        if !isStillThere() { lose() }
      } else if options.group != nil {
        heardOfGroups(event, in: folder)
      } else if event.happening.contains(.isDirectory) {
        if options.recursive { heardOfFolder(event, folder.child(event.name)) }
      } else {
        heard(of: folder.file(event.name), event, now)
      }
    }
  }

  /// Handles an event about a file. A candidate's name was matched before.
  private func heard(of name: FileName, _ event: Inotify.Event, _ now: ContinuousClock.Instant) {
    if candidates.table[name] != nil || wanted.containsFile(name) {
      // The opening of a file that stays makes no candidate: the daemon itself opens such files. A write does.
      if options.keepsFiles, candidates.table[name] == nil, event.happening.contains(.opened) { return }
      if !event.happening.isDisjoint(with: [.movedOut, .removed]) { refusals.forget(name) }
      candidates.heard(event.happening, name, cookie: event.cookie, now: now, look: readFacts)
    } else {
      candidates.heardOfIgnored(event.happening, name, cookie: event.cookie, now: now)
    }
  }

  private func heardOfItself(_ event: Inotify.Event, _ folder: Folder) {
    guard !event.happening.isDisjoint(with: .lost) else { return }
    if folder == .spool {
      // A medium that is mounted anew at once looks the same.
      if !isStillThere() || options.keepsFiles && event.happening.contains(.ended) {
        lose()
      } else if event.happening.contains(.ended) {
        // The spool is still there, but its watch has ended: the scan sets a new one.
        stopWatching()
        scanIsWanted = true
      }
    } else if event.happening.contains(.ended) {
      tree.ended(event.watch)
    } else {
      // The directory was moved and is still watched: no event came about its old name, or a scan has found its new one.
      forget(folder)
      if options.group != nil { scanIsWanted = true } else { arrived(folder, isMade: true) }
    }
  }

  /// Reads the facts of a regular file in the spool; nil for anything else, and for a file that has disappeared. An error is reported.
  func readFacts(_ name: FileName) -> FileFacts? {
    do throws(FileError) {
      let (directory, last) = try whereabouts(name)
      if isRemote { directory.refresh(last) }
      let facts = try directory.facts(of: last)
      return facts.kind == .regular ? facts : nil
    } catch {
      // No file has a name that is too long, such as that of a sidecar may be.
      if !error.isOfSomethingGone, error.errno != ENAMETOOLONG { reportScan(error) }
      return nil
    }
  }

  func whereabouts(_ name: FileName) throws(FileError) -> (Directory, [UInt8]) {
    guard options.recursive else { return (try open(.spool), name.bytes) }
    return (try open(Folder(of: name)), name.last.bytes)
  }

  /// Opens a directory below the spool. If it has disappeared, or is not a directory any more, ``FileError/isOfSomethingGone`` of
  /// the error is true.
  func open(_ folder: Folder) throws(FileError) -> Directory {
    let held = try spool.held()
    if folder == .spool, held.keptRoot == nil { return try held.spool }
    if let opened, opened.folder == folder { return opened.directory }
    let directory = folder == .spool ? try held.spool : try held.spool.directory(below: folder.path)
    opened = (folder, directory)
    return directory
  }

  func reportScan(_ error: FileError) {
    problems.report(.ofScan(options, error))
    nextScan = min(nextScan, now + interval)
  }

  func heardOfFolder(_ event: Inotify.Event, _ folder: Folder) {
    if !event.happening.isDisjoint(with: [.movedOut, .removed]) {
      // The directory may have been moved again before it could be watched.
      let isKnown = tree.isWatched(folder) || newFolders.contains { $0.isMade && $0.folder == folder }
      if event.happening.contains(.movedOut), isKnown { tree.departed.add(event.cookie, ()) }
      forget(folder)
    } else if !event.happening.isDisjoint(with: [.created, .movedIn]), wanted.contains(FileName(bytes: folder.path)) {
      // If the directory was watched under another name, it is not known any more who has its files open.
      arrived(folder, isMade: event.happening.contains(.created) || tree.departed.arrival(event.cookie) != nil)
    }
  }

  /// Watches a new directory at once, and plans to read it after that, so that no file is missed between the two.
  func arrived(_ folder: Folder, isMade: Bool) {
    if let known = newFolders.firstIndex(where: { $0.folder == folder }) {
      newFolders[known].isMade = newFolders[known].isMade || isMade
      return watchNew(folder)
    }
    guard newFolders.count < Self.mostNewFolders else {
      newFolders = []
      scanIsWanted = true
      scanIsLate = true
      return
    }
    newFolders.append((folder, isMade))
    watchNew(folder)
  }

  private func watchNew(_ folder: Folder) {
    do throws(FileError) {
      opened = nil
      watch(folder, try open(folder))
    } catch {
      // The walk that reads it reports the problem.
    }
  }

  /// Forgets a directory that is gone, and everything in it.
  func forget(_ folder: Folder) {
    for watch in tree.remove(folder) { inotify?.unwatch(watch) }
    candidates.forget(in: folder)
    opened = nil
  }

  /// Watches a directory, if the spool is watched. If the kernel grants no more watches, the whole spool is polled too.
  func watch(_ folder: Folder, _ directory: Directory) {
    guard let inotify else { return }
    do throws(FileError) {
      let watch = try inotify.watch(directory, withOpenings: leased.needsOpenings)
      for replaced in tree.add(watch, folder, scan: scans) { inotify.unwatch(replaced) }
    } catch {
      // A directory that may not be watched may not be read either, and the walk that reads it reports that.
      guard error.errno != EACCES else { return }
      isPartlyWatched = true
      scanLacksWatches = true
      nextScan = min(nextScan, now + options.poll)
      problems.report(.unwatched(options, error))
    }
  }

  /// Returns the time since a file's ctime, by the wall clock.
  func age(_ changed: Int64) -> Duration { spool.wallClock() - Timestamp(microseconds: changed / 1000) }
}
