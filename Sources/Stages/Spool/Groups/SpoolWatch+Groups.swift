import Glibc
import Jobs
import Linux
import Messages

/// A spool of groups: each directory in it is one unit.
///
/// A group may have many files, and few events are about the group itself. So nothing is remembered about its files: when the check of
/// a group is due, all of it is read in one walk.
extension SpoolWatch {
  func heardOfGroups(_ event: Inotify.Event, in folder: Folder) {
    if folder == .spool {
      let name = FileName(bytes: event.name)
      guard event.happening.contains(.isDirectory), wanted.contains(name) else { return }
      if !event.happening.isDisjoint(with: [.movedOut, .removed]) {
        groups.forget(name)
        refusals.forget(name)
        forget(Folder.spool.child(event.name))
      } else if !event.happening.isDisjoint(with: [.created, .movedIn]), wanted.isMatched(name) {
        metGroup(name, after: event.happening.contains(.movedIn) ? options.settleRenamed : .zero)
      }
    } else if !event.happening.isDisjoint(with: [
      .created, .movedIn, .movedOut, .removed, .modified, .closedAfterWriting,
    ]) {
      // A question for a lease opens a file and closes it again, so opens and closes after reading are ignored.
      // A watch may be left from a configuration that took all groups.
      let name = FileName(bytes: folder.path)
      guard wanted.isMatched(name) else { return }
      let pause = min(options.settle, options.settleUnseen)
      if groups.table[name] == nil { metGroup(name, after: pause) } else { groups.met(name, now: now, after: pause) }
    }
  }

  /// Plans the check of a group that a scan or an event found.
  func metGroup(_ name: FileName, after pause: Duration = .zero) {
    let folder = Folder.spool.child(name.bytes)
    do throws(FileError) {
      let directory = try open(folder)
      groups.met(name, owner: try directory.facts().owner, now: now, after: pause)
      // Watch a known group again too: at the end of a scan, directories that the scan did not watch again lose their watches.
      watch(folder, directory)
    } catch {
      // The check that is planned reports the problem.
      groups.met(name, now: now, after: pause)
    }
  }

  func checkGroups() {
    guard options.group != nil, spool.present != nil else { return }
    let end = now + Self.longestSilence / 2
    while now < end, let name = groups.next(now: now) {
      groups.set(name, .settling, due: nil)
      do throws(FileError) {
        try check(name)
      } catch {
        refuseGroup(name, error)
      }
    }
  }

  /// Walks through a group and records whether it is complete and unchanged.
  private func check(_ name: FileName) throws(FileError) {
    let directory = try open(Folder.spool.child(name.bytes)).reopened()
    let look = try GroupLook(directory, marker: options.group)
    groups.saw(name, look, age: isRemote ? nil : age(look.changed), stillness: options.settleUnseen, now: now)
    guard name.bytes.count > LockedSpool.longestGroupName else { return }
    throw FileError(
      "take", path: "\(options.path)/\(name.shown)", errno: ENAMETOOLONG,
      advice: .groupNameTooLong(count: LockedSpool.longestGroupName))
  }

  /// Walks through a ready group just before its claim. Returns true if the group is unchanged, may be taken, and nobody writes to it, as
  /// far as leases show that. Otherwise the next check is planned.
  func confirmReady(_ name: FileName, _ sum: GroupSum?) throws(FileError) -> Bool {
    let root = try open(Folder.spool.child(name.bytes)).reopened()
    let look = try GroupLook(root, marker: options.group, leased: leased)
    if let file = look.openFile {
      groups.set(name, .open, file, due: now + max(options.settleUnseen, .seconds(1)))
      return false
    }
    for path in look.folders { try (path.isEmpty ? root : root.directory(below: path)).requireReadAndWrite() }
    if look.sum == sum { return true }
    groups.met(name, now: now)
    return false
  }

  /// Leaves a group in the spool that could not be looked at or claimed, and forgets one that is gone.
  func refuseGroup(_ name: FileName, _ error: FileError) {
    if error.isOfSomethingGone, error.advice == nil {
      opened = nil
      // No event tells of a directory that is gone from deep in a group. Ignored: a group that cannot be opened is gone itself.
      guard (try? open(Folder.spool.child(name.bytes))) != nil else { return groups.forget(name) }
      return groups.met(name, now: now, after: max(options.settleUnseen, .seconds(1)))
    }
    let problem =
      error.advice == nil
      ? LockedSpool.refused(options, error, in: Folder.spool.child(name.bytes))
      : SpoolProblem(options, .claim, error, remedy: .groupOfFilesOnly)
    groups.set(name, .refused, due: nil)
    refuse(name, problem, owner: groups.table[name]?.owner)
  }

  /// Returns the reason why the group that this name is, or belongs to, is not claimed yet.
  func statusOfGroup(_ name: FileName) -> FileStatus {
    let group = FileName(bytes: name.bytes.split(separator: UInt8(ascii: "/")).first.map { Array($0) } ?? [])
    if let unmatched = status(ofMatch: group) { return unmatched }
    if let problem = refusals[group] {
      return FileStatus(.refused, problem.message, remedy: problem.advice)
    }
    let due = groups.table[group]?.due.map { max(.zero, $0 - now) }
    switch groups.table[group]?.phase {
    case .incomplete:
      return FileStatus(
        .incomplete, .markerMissing(marker: DisplayText.escape(options.group ?? ""), group: group.shown),
        remedy: .markerFollows, left: due)
    case .settling:
      return FileStatus(.settling, .settlingGroup(time: options.settleUnseen), left: due)
    case .open:
      return FileStatus(
        .open, .openInGroup(file: groups.table[group]?.openFile?.shown ?? ""), remedy: .takenWhenClosed,
        left: due)
    case .ready: return FileStatus(.ready, .ready)
    default: return FileStatus(.unseen, .notLookedAt, left: due)
    }
  }
}
