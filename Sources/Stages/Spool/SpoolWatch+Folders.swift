import Glibc
import Jobs
import Linux

extension SpoolWatch {
  func heardOfFolder(_ event: Inotify.Event, _ folder: Folder) {
    if !event.happening.isDisjoint(with: [.movedOut, .removed]) {
      // It may have been moved again before it could be watched.
      let isKnown = tree.isWatched(folder) || newFolders.contains { $0.isMade && $0.folder == folder }
      if event.happening.contains(.movedOut), isKnown { tree.departed.add(event.cookie, ()) }
      forget(folder)
    } else if !event.happening.isDisjoint(with: [.created, .movedIn]), wanted.contains(event.name) {
      // If it was watched under another name, it is not known any more who has its files open.
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

  /// Returns the time since a file's ctime, by the wall-clock time.
  func age(_ changed: Int64) -> Duration { spool.wallClock() - Timestamp(microseconds: changed / 1000) }
}
