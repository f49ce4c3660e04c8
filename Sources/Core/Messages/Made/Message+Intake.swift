// Made by scripts/messages from Table/intake.txt.

extension Message {
  /// `there is no such file`
  public static let noSuchFile = Message(code: "no-such-file")

  /// `it is claimed and cannot be read yet: {why}`
  public static func claimedUnreadable(why: Message) -> Message {
    Message(code: "claimed-unreadable", ["why": .message(why)])
  }

  /// `it is tried again by itself`
  public static let triedAgainByItself = Message(code: "tried-again-by-itself")

  /// `the spool directory {path} has disappeared`
  public static func spoolDisappeared(path: String) -> Message {
    Message(code: "spool-disappeared", ["path": .text(path)])
  }

  /// `a directory on its path is a symbolic link, which is not followed`
  public static let pathHasLink = Message(code: "path-has-link")

  /// `put the file into the spool itself, or make a spool of the directory`
  public static let putIntoSpool = Message(code: "put-into-spool")

  /// `a directory on its path is another file system, which is not looked into`
  public static let pathHasOtherFileSystem = Message(code: "path-has-other-file-system")

  /// `make that directory a spool of its own`
  public static let makeOwnSpool = Message(code: "make-own-spool")

  /// `{name} begins with a dot, and such names are never taken`
  public static func beginsWithDot(name: String) -> Message {
    Message(code: "begins-with-dot", ["name": .text(name)])
  }

  /// `the daemon keeps the files of its jobs in .waybill`
  public static let inClaims = Message(code: "in-claims")

  /// `leave them there; waybill list has the jobs`
  public static let leaveClaims = Message(code: "leave-claims")

  /// `rename it without the dot`
  public static let renameWithoutDot = Message(code: "rename-without-dot")

  /// `{name} matches {pattern}, which the spool ignores`
  public static func matchesIgnore(name: String, pattern: String) -> Message {
    Message(code: "matches-ignore", ["name": .text(name), "pattern": .text(pattern)])
  }

  /// `rename it, or change ignore of spool {spool}`
  public static func renameOrIgnore(spool: String) -> Message {
    Message(code: "rename-or-ignore", ["spool": .text(spool)])
  }

  /// `it is in a directory below the spool, and the spool is not recursive`
  public static let notRecursive = Message(code: "not-recursive")

  /// `move it to {path}, or set recursive of spool {spool}`
  public static func moveOrRecursive(path: String, spool: String) -> Message {
    Message(code: "move-or-recursive", ["path": .text(path), "spool": .text(spool)])
  }

  /// `its path below the spool has more than {limit} bytes`
  public static func pathTooLong(limit: some BinaryInteger) -> Message {
    Message(code: "path-too-long", ["limit": .number(Int64(clamping: limit))])
  }

  /// `move it to a directory with a shorter path`
  public static let moveToShorter = Message(code: "move-to-shorter")

  /// `it is a directory: the files in it are taken, each by itself`
  public static let directoryOfFiles = Message(code: "directory-of-files")

  /// `it is a directory, and the spool is not recursive`
  public static let directoryNotRecursive = Message(code: "directory-not-recursive")

  /// `set recursive of spool {spool}, or drop the files themselves`
  public static func recursiveOrDrop(spool: String) -> Message {
    Message(code: "recursive-or-drop", ["spool": .text(spool)])
  }

  /// `it is a symbolic link, and those are not followed`
  public static let isLink = Message(code: "is-link")

  /// `drop the file itself, or a hard link to it`
  public static let dropFileItself = Message(code: "drop-file-itself")

  /// `it is no regular file but a FIFO, a socket or a device`
  public static let isNoFile = Message(code: "is-no-file")

  /// `remove it`
  public static let removeIt = Message(code: "remove-it")

  /// `a program has it open for writing`
  public static let openForWriting = Message(code: "open-for-writing")

  /// `it is taken when that program closes it`
  public static let takenWhenClosed = Message(code: "taken-when-closed")

  /// `the spool is being read and has not come to it yet`
  public static let beingRead = Message(code: "being-read")

  /// `no event told of it`
  public static let notTold = Message(code: "not-told")

  /// `it is found when the spool is read again`
  public static let foundWhenRead = Message(code: "found-when-read")

  /// `its name matches none of those that the spool takes: {patterns}`
  public static func notListed(patterns: String) -> Message {
    Message(code: "not-listed", ["patterns": .text(patterns)])
  }

  /// `rename it, or change only of spool {spool}`
  public static func renameOrOnly(spool: String) -> Message {
    Message(code: "rename-or-only", ["spool": .text(spool)])
  }

  /// `its name does not match {pattern}, and the spool leaves such files alone`
  public static func notMatched(pattern: String) -> Message {
    Message(code: "not-matched", ["pattern": .text(pattern)])
  }

  /// `rename it, or change match of spool {spool}`
  public static func renameOrMatch(spool: String) -> Message {
    Message(code: "rename-or-match", ["spool": .text(spool)])
  }

  /// `it is empty, and the spool leaves empty files alone`
  public static let emptyLeft = Message(code: "empty-left")

  /// `it is looked at again when it is written to; or change min_size of spool {spool}`
  public static func writtenOrEmpty(spool: String) -> Message {
    Message(code: "written-or-empty", ["spool": .text(spool)])
  }

  /// `it has {size} bytes, fewer than min_size, {least}`
  public static func tooSmall(size: some BinaryInteger, least: some BinaryInteger) -> Message {
    Message(code: "too-small", ["size": .number(Int64(clamping: size)), "least": .number(Int64(clamping: least))])
  }

  /// `it has 1 byte, fewer than min_size, {least}`
  public static func tooSmallOne(least: some BinaryInteger) -> Message {
    Message(code: "too-small-one", ["least": .number(Int64(clamping: least))])
  }

  /// `it is looked at again when it grows; or change min_size of spool {spool}`
  public static func growsOrMinSize(spool: String) -> Message {
    Message(code: "grows-or-min-size", ["spool": .text(spool)])
  }

  /// `it has {size} bytes, more than max_size, {most}`
  public static func tooLarge(size: some BinaryInteger, most: some BinaryInteger) -> Message {
    Message(code: "too-large", ["size": .number(Int64(clamping: size)), "most": .number(Int64(clamping: most))])
  }

  /// `it has 1 byte, more than max_size, {most}`
  public static func tooLargeOne(most: some BinaryInteger) -> Message {
    Message(code: "too-large-one", ["most": .number(Int64(clamping: most))])
  }

  /// `it is looked at again when it changes; or change max_size of spool {spool}`
  public static func changesOrMaxSize(spool: String) -> Message {
    Message(code: "changes-or-max-size", ["spool": .text(spool)])
  }

  /// `it is ready to be taken`
  public static let ready = Message(code: "ready")

  /// `somebody may have it open, and nobody can tell: it is taken when it has been unchanged for {time}`
  public static func mayBeOpen(time: Duration) -> Message {
    Message(code: "may-be-open", ["time": .duration(time)])
  }

  /// `its file system has no leases, so the kernel cannot be asked`
  public static let noLeases = Message(code: "no-leases")

  /// `give the daemon CAP_LEASE, so that it can ask the kernel`
  public static let giveLease = Message(code: "give-lease")

  /// `it is empty, and is taken if it stays so for {time}`
  public static func settlingEmpty(time: Duration) -> Message {
    Message(code: "settling-empty", ["time": .duration(time)])
  }

  /// `it is taken when it has been unchanged for {time}`
  public static func settling(time: Duration) -> Message {
    Message(code: "settling", ["time": .duration(time)])
  }

  /// `it is a sidecar, and the document {name} has not come`
  public static func isSidecarOf(name: String) -> Message {
    Message(code: "is-sidecar-of", ["name": .text(name)])
  }

  /// `it is a sidecar, and the document {name} is of another user: {other}`
  public static func isSidecarOfAnother(name: String, other: String) -> Message {
    Message(code: "is-sidecar-of-another", ["name": .text(name), "other": .text(other)])
  }

  /// `it is a sidecar, and its document has not come`
  public static let isSidecar = Message(code: "is-sidecar")

  /// `drop the document; a sidecar is never sent by itself`
  public static let dropDocument = Message(code: "drop-document")

  /// `its sidecar {name} is there and not ready to be taken`
  public static func sidecarNotReady(name: String) -> Message {
    Message(code: "sidecar-not-ready", ["name": .text(name)])
  }

  /// `waybill explain {name} says why`
  public static func explainSaysWhy(name: String) -> Message {
    Message(code: "explain-says-why", ["name": .text(name)])
  }

  /// `its sidecar {name} has not come; it is taken without one after {time}`
  public static func sidecarMissing(name: String, time: Duration) -> Message {
    Message(code: "sidecar-missing", ["name": .text(name), "time": .duration(time)])
  }

  /// `it lies in the spool itself, and the spool takes directories as groups`
  public static let looseInGroups = Message(code: "loose-in-groups")

  /// `move it into a directory with the files that belong to it`
  public static let moveIntoGroup = Message(code: "move-into-group")

  /// `the marker {marker} of {group} is not there`
  public static func markerMissing(marker: String, group: String) -> Message {
    Message(code: "marker-missing", ["marker": .text(marker), "group": .text(group)])
  }

  /// `the program that writes the group makes the marker when all files are there`
  public static let markerFollows = Message(code: "marker-follows")

  /// `it is taken when nothing in it has changed for {time}`
  public static func settlingGroup(time: Duration) -> Message {
    Message(code: "settling-group", ["time": .duration(time)])
  }

  /// `a program has {file} in it open for writing`
  public static func openInGroup(file: String) -> Message {
    Message(code: "open-in-group", ["file": .text(file)])
  }

  /// `it was not looked at yet`
  public static let notLookedAt = Message(code: "not-looked-at")

  /// `it is the file of job {job}, and stays where it is`
  public static func keptAlready(job: some BinaryInteger) -> Message {
    Message(code: "kept-already", ["job": .number(Int64(clamping: job))])
  }
}
