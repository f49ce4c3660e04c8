// Made by scripts/messages from Table/problems.txt.

extension Message {
  /// `the ledger was lost in part: {why}`
  public static func ledgerLostInPart(why: String) -> Message {
    Message(code: "ledger-lost-in-part", ["why": .text(why)])
  }

  /// `the ledger can be written again`
  public static let ledgerWritableAgain = Message(code: "ledger-writable-again")

  /// `there is space enough for the ledger again: files are admitted`
  public static let spaceAgain = Message(code: "space-again")

  /// `no new files are admitted: {free} are free for the ledger in {directory}, and min_free is {least}`
  public static func spaceShort(free: Int64, directory: String, least: Int64) -> Message {
    Message(code: "space-short", ["free": .bytes(free), "directory": .text(directory), "least": .bytes(least)])
  }

  /// `make room there: the same commit is tried until it succeeds`
  public static let makeRoomForCommits = Message(code: "make-room-for-commits")

  /// `make room on the disk of {directory}, or lower min_free in waybill.toml`
  public static func makeRoomForLedger(directory: String) -> Message {
    Message(code: "make-room-for-ledger", ["directory": .text(directory)])
  }

  /// `make room there, or lower min_free`
  public static let makeRoomOrLower = Message(code: "make-room-or-lower")

  /// `the journal does not take entries: {waiting} wait`
  public static func journalRefuses(waiting: some BinaryInteger) -> Message {
    Message(code: "journal-refuses", ["waiting": .number(Int64(clamping: waiting))])
  }

  /// `the journal does not take entries: {waiting} wait, {dropped} were dropped`
  public static func journalRefusesDropped(waiting: some BinaryInteger, dropped: some BinaryInteger) -> Message {
    Message(
      code: "journal-refuses-dropped",
      ["waiting": .number(Int64(clamping: waiting)), "dropped": .number(Int64(clamping: dropped))])
  }

  /// `see systemctl status systemd-journald; waybill log --since 1h has the events all the same`
  public static let seeJournald = Message(code: "see-journald")

  /// `spool {spool}: {why}`
  public static func ofSpool(spool: String, why: Message) -> Message {
    Message(code: "of-spool", ["spool": .text(spool), "why": .message(why)])
  }

  /// `{what}; {remedy}`
  public static func andRemedy(what: Message, remedy: Message) -> Message {
    Message(code: "and-remedy", ["what": .message(what), "remedy": .message(remedy)])
  }

  /// `{why} (the file stays in the spool)`
  public static func staysInSpool(why: Message) -> Message {
    Message(code: "stays-in-spool", ["why": .message(why)])
  }

  /// `{why}; it is polled every {time} instead`
  public static func polledInstead(why: Message, time: Duration) -> Message {
    Message(code: "polled-instead", ["why": .message(why), "time": .duration(time)])
  }

  /// `nothing has come into spool {spool} for {time}; a file is expected every {every}`
  public static func nothingHasCome(spool: String, time: Duration, every: Duration) -> Message {
    Message(code: "nothing-has-come", ["spool": .text(spool), "time": .duration(time), "every": .duration(every)])
  }

  /// `nothing was taken from spool {spool} for {time}, files there: {count}; a file is expected every {every}`
  public static func nothingWasTaken(spool: String, time: Duration, count: some BinaryInteger, every: Duration)
    -> Message
  {
    Message(
      code: "nothing-was-taken",
      [
        "spool": .text(spool), "time": .duration(time), "count": .number(Int64(clamping: count)),
        "every": .duration(every),
      ])
  }

  /// `see if the machine that drops files works; waybill explain FILE says why a file is not taken`
  public static let seeTheSender = Message(code: "see-the-sender")

  /// `{name} of job {job}, which is {state}, is still there: {why}`
  public static func stillThere(name: String, job: some BinaryInteger, state: String, why: Message) -> Message {
    Message(
      code: "still-there",
      ["name": .text(name), "job": .number(Int64(clamping: job)), "state": .text(state), "why": .message(why)])
  }

  /// `the archive cannot be used: {why}`
  public static func archiveUnusable(why: Message) -> Message {
    Message(code: "archive-unusable", ["why": .message(why)])
  }

  /// `there is no directory {path}`
  public static func spoolMissing(path: String) -> Message {
    Message(code: "spool-missing", ["path": .text(path)])
  }

  /// `{path} is not a directory`
  public static func notADirectory(path: String) -> Message {
    Message(code: "not-a-directory", ["path": .text(path)])
  }

  /// `{name} was written to after job {job} had uploaded it: it is kept, and has become job {new}`
  public static func fileRewritten(name: String, job: some BinaryInteger, new: some BinaryInteger) -> Message {
    Message(
      code: "file-rewritten",
      ["name": .text(name), "job": .number(Int64(clamping: job)), "new": .number(Int64(clamping: new))])
  }

  /// `{name} was written to after job {job} had uploaded it: all of it is kept, and has become job {new}`
  public static func groupRewritten(name: String, job: some BinaryInteger, new: some BinaryInteger) -> Message {
    Message(
      code: "group-rewritten",
      ["name": .text(name), "job": .number(Int64(clamping: job)), "new": .number(Int64(clamping: new))])
  }

  /// `{path} is in use by process {pid}`
  public static func inUseByProcess(path: String, pid: some BinaryInteger) -> Message {
    Message(code: "in-use-by-process", ["path": .text(path), "pid": .number(Int64(clamping: pid))])
  }

  /// `{path} is in use by another process`
  public static func inUseByAnother(path: String) -> Message {
    Message(code: "in-use-by-another", ["path": .text(path)])
  }

  /// `configuration rejected; the old one stays in use: the file on disk is not the configuration in use: {why}`
  public static func configurationRefused(why: Message) -> Message {
    Message(code: "configuration-refused", ["why": .message(why)])
  }

  /// `{jobs} jobs of {spool} need their files: set name = "{spool}" for {path}`
  public static func spoolRenamed(jobs: some BinaryInteger, spool: String, path: String) -> Message {
    Message(
      code: "spool-renamed", ["jobs": .number(Int64(clamping: jobs)), "spool": .text(spool), "path": .text(path)])
  }

  /// `1 job of {spool} needs its file: set name = "{spool}" for {path}`
  public static func spoolRenamedOne(spool: String, path: String) -> Message {
    Message(code: "spool-renamed-one", ["spool": .text(spool), "path": .text(path)])
  }

  /// `{jobs} jobs of {spool} need their files, and no spool has their directory`
  public static func spoolGone(jobs: some BinaryInteger, spool: String) -> Message {
    Message(code: "spool-gone", ["jobs": .number(Int64(clamping: jobs)), "spool": .text(spool)])
  }

  /// `1 job of {spool} needs its file, and no spool has its directory`
  public static func spoolGoneOne(spool: String) -> Message {
    Message(code: "spool-gone-one", ["spool": .text(spool)])
  }

  /// `objects of cancelled jobs may be at {storage}, which is no longer in the configuration`
  public static func cleanupsStranded(storage: String) -> Message {
    Message(code: "cleanups-stranded", ["storage": .text(storage)])
  }

  /// `so many names wait in {path} that some give way to others; most are of user {user}`
  public static func namesGiveWay(path: String, user: String) -> Message {
    Message(code: "names-give-way", ["path": .text(path), "user": .text(user)])
  }

  /// `{sidecar} is of user {owner} and does not describe {document}, which is of user {other}`
  public static func sidecarOfAnother(sidecar: String, owner: String, document: String, other: String) -> Message {
    Message(
      code: "sidecar-of-another",
      ["sidecar": .text(sidecar), "owner": .text(owner), "document": .text(document), "other": .text(other)])
  }

  /// `more than {limit} files stay in {path}, and the others are not taken`
  public static func keptFull(limit: some BinaryInteger, path: String) -> Message {
    Message(code: "kept-full", ["limit": .number(Int64(clamping: limit)), "path": .text(path)])
  }

  /// `the files of {path} were kept until now, by spool {spool}; as this spool is configured, all would be sent again and taken away`
  public static func keptUntilNow(path: String, spool: String) -> Message {
    Message(code: "kept-until-now", ["path": .text(path), "spool": .text(spool)])
  }

  /// `files claimed in {path}/.waybill: {count}`
  public static func claimsLeft(path: String, count: some BinaryInteger) -> Message {
    Message(code: "claims-left", ["path": .text(path), "count": .number(Int64(clamping: count))])
  }

  /// `concurrency = {wanted}: at most {slots} attempts are made at once, because the process may open only {descriptors} files and connections`
  public static func tooFewDescriptors(
    wanted: some BinaryInteger, slots: some BinaryInteger, descriptors: some BinaryInteger
  ) -> Message {
    Message(
      code: "too-few-descriptors",
      [
        "wanted": .number(Int64(clamping: wanted)), "slots": .number(Int64(clamping: slots)),
        "descriptors": .number(Int64(clamping: descriptors)),
      ])
  }

  /// `{name}, the sidecar of job {job}, was written to after it was taken: it is in the spool again`
  public static func sidecarRewritten(name: String, job: some BinaryInteger) -> Message {
    Message(code: "sidecar-rewritten", ["name": .text(name), "job": .number(Int64(clamping: job))])
  }

  /// `{document} is sent without a description: {why}`
  public static func sentWithoutDescription(document: String, why: Message) -> Message {
    Message(code: "sent-without-description", ["document": .text(document), "why": .message(why)])
  }

  /// `{document} has metadata beyond the {limit} bytes that its object can have: {names}; the backend gets all of it`
  public static func metadataBeyondRoom(document: String, limit: some BinaryInteger, names: String) -> Message {
    Message(
      code: "metadata-beyond-room",
      ["document": .text(document), "limit": .number(Int64(clamping: limit)), "names": .text(names)])
  }

  /// `its sidecar {name} did not come within {time}`
  public static func sidecarDidNotCome(name: String, time: Duration) -> Message {
    Message(code: "sidecar-did-not-come", ["name": .text(name), "time": .duration(time)])
  }

  /// `its sidecar {name} {why}`
  public static func sidecarUnusable(name: String, why: Message) -> Message {
    Message(code: "sidecar-unusable", ["name": .text(name), "why": .message(why)])
  }

  /// `{sidecar} was taken without its document and cannot be put back: its name or its directory is not free`
  public static func sidecarStranded(sidecar: String) -> Message {
    Message(code: "sidecar-stranded", ["sidecar": .text(sidecar)])
  }

  /// `{name}, claimed already, cannot be read: {why}`
  public static func claimUnreadable(name: String, why: Message) -> Message {
    Message(code: "claim-unreadable", ["name": .text(name), "why": .message(why)])
  }

  /// `{name} and {others} more, claimed already, cannot be read: {why}`
  public static func claimUnreadableAnd(name: String, others: some BinaryInteger, why: Message) -> Message {
    Message(
      code: "claim-unreadable-and",
      ["name": .text(name), "others": .number(Int64(clamping: others)), "why": .message(why)])
  }

  /// `the files claimed already cannot be read: {why}`
  public static func claimsUnreadable(why: Message) -> Message {
    Message(code: "claims-unreadable", ["why": .message(why)])
  }

  /// `{path} is writable for others (mode {mode}) and not sticky, so they can move .waybill`
  public static func spoolExposed(path: String, mode: String) -> Message {
    Message(code: "spool-exposed", ["path": .text(path), "mode": .text(mode)])
  }

  /// `whoever writes in {path} can link any file of its file system into it, and what the daemon may read is sent`
  public static func spoolLinks(path: String) -> Message {
    Message(code: "spool-links", ["path": .text(path)])
  }

  /// `{path} is sticky and belongs to user {owner}, so user {user} cannot claim others' files there`
  public static func spoolSticky(path: String, owner: String, user: String) -> Message {
    Message(code: "spool-sticky", ["path": .text(path), "owner": .text(owner), "user": .text(user)])
  }

  /// `{what}, and the trial file is left: {why}`
  public static func trialFileLeft(what: Message, why: Message) -> Message {
    Message(code: "trial-file-left", ["what": .message(what), "why": .message(why)])
  }

  /// `{path} belongs to user {owner}, not to user {user}`
  public static func belongsToAnother(path: String, owner: String, user: String) -> Message {
    Message(code: "belongs-to-another", ["path": .text(path), "owner": .text(owner), "user": .text(user)])
  }

  /// `{path} is writable for others (mode {mode})`
  public static func writableForOthers(path: String, mode: String) -> Message {
    Message(code: "writable-for-others", ["path": .text(path), "mode": .text(mode)])
  }

  /// `{path} was replaced while it was opened`
  public static func replacedWhileOpened(path: String) -> Message {
    Message(code: "replaced-while-opened", ["path": .text(path)])
  }

  /// `{name} was replaced by something that is not a file while it was claimed`
  public static func replacedByNoFile(name: String) -> Message {
    Message(code: "replaced-by-no-file", ["name": .text(name)])
  }

  /// `the file system of {path} has no leases, so nobody can tell who still writes a file in it`
  public static func spoolWithoutLeases(path: String) -> Message {
    Message(code: "spool-without-leases", ["path": .text(path)])
  }

  /// `{name} may still be open for writing; it was unchanged for {time} and counts as finished`
  public static func countsAsFinished(name: String, time: Duration) -> Message {
    Message(code: "counts-as-finished", ["name": .text(name), "time": .duration(time)])
  }

  /// `{name} and {others} more may still be open for writing; it was unchanged for {time} and counts as finished`
  public static func countsAsFinishedAnd(name: String, others: some BinaryInteger, time: Duration) -> Message {
    Message(
      code: "counts-as-finished-and",
      ["name": .text(name), "others": .number(Int64(clamping: others)), "time": .duration(time)])
  }

  /// `{name} carries more than {count} attributes user.waybill.* or {size} bytes of them; the rest is not sent`
  public static func attributesTooMany(name: String, count: some BinaryInteger, size: some BinaryInteger) -> Message {
    Message(
      code: "attributes-too-many",
      ["name": .text(name), "count": .number(Int64(clamping: count)), "size": .number(Int64(clamping: size))])
  }

  /// `{name} carries the attribute {attribute} twice, with its letters composed in two ways; one of them is not sent`
  public static func attributeDoubled(name: String, attribute: String) -> Message {
    Message(code: "attribute-doubled", ["name": .text(name), "attribute": .text(attribute)])
  }

  /// `more happened in {path} than the kernel's queue holds; it is read anew`
  public static func queueOverflowed(path: String) -> Message {
    Message(code: "queue-overflowed", ["path": .text(path)])
  }

  /// `{path} was removed, replaced or unmounted, or its .waybill was`
  public static func spoolLost(path: String) -> Message {
    Message(code: "spool-lost", ["path": .text(path)])
  }

  /// `{path} was removed, replaced or unmounted`
  public static func keptSpoolLost(path: String) -> Message {
    Message(code: "kept-spool-lost", ["path": .text(path)])
  }

  /// `{folder} in {path} is another file system, and is not looked into`
  public static func otherFileSystem(folder: String, path: String) -> Message {
    Message(code: "other-file-system", ["folder": .text(folder), "path": .text(path)])
  }

  /// `{folder}… is too deep, and is not looked into`
  public static func folderTooDeep(folder: String) -> Message {
    Message(code: "folder-too-deep", ["folder": .text(folder)])
  }

  /// `the clock here is {time} ahead of that of {storage}: its requests are signed with its own time`
  public static func clockAheadCorrected(time: Duration, storage: String) -> Message {
    Message(code: "clock-ahead-corrected", ["time": .duration(time), "storage": .text(storage)])
  }

  /// `the clock here is {time} behind that of {storage}: its requests are signed with its own time`
  public static func clockBehindCorrected(time: Duration, storage: String) -> Message {
    Message(code: "clock-behind-corrected", ["time": .duration(time), "storage": .text(storage)])
  }

  /// `the clock here is {time} ahead of that of {storage}, which refuses signatures: they are corrected by 7 days at most`
  public static func clockTooFarAhead(time: Duration, storage: String) -> Message {
    Message(code: "clock-too-far-ahead", ["time": .duration(time), "storage": .text(storage)])
  }

  /// `the clock here is {time} behind that of {storage}, which refuses signatures: they are corrected by 7 days at most`
  public static func clockTooFarBehind(time: Duration, storage: String) -> Message {
    Message(code: "clock-too-far-behind", ["time": .duration(time), "storage": .text(storage)])
  }

  /// `{storage} refuses the time of signatures, and its own time differs from answer to answer`
  public static func clockUnsteady(storage: String) -> Message {
    Message(code: "clock-unsteady", ["storage": .text(storage)])
  }

  /// `the ping to {url} fails: {why}`
  public static func pingFails(url: String, why: Message) -> Message {
    Message(code: "ping-fails", ["url": .text(url), "why": .message(why)])
  }

  /// `notices to {url} fail: {why}`
  public static func noticesFail(url: String, why: Message) -> Message {
    Message(code: "notices-fail", ["url": .text(url), "why": .message(why)])
  }

  /// `it answered HTTP {status}`
  public static func itAnswered(status: some BinaryInteger) -> Message {
    Message(code: "it-answered", ["status": .number(Int64(clamping: status))])
  }
}
