// Made by scripts/messages from Table/remedies.txt.

extension Message {
  /// `mount it, or {else}`
  public static func mountItOr(else: Message) -> Message {
    Message(code: "mount-it-or", ["else": .message(`else`)])
  }

  /// `give user {user} the right to write there: {how}`
  public static func grantWriting(user: String, how: String) -> Message {
    Message(code: "grant-writing", ["user": .text(user), "how": .text(how)])
  }

  /// `give user {user} the right to read and enter it`
  public static func grantReading(user: String) -> Message {
    Message(code: "grant-reading", ["user": .text(user)])
  }

  /// `give user {user} the right to read and enter it{how}`
  public static func grantReadingHow(user: String, how: String) -> Message {
    Message(code: "grant-reading-how", ["user": .text(user), "how": .text(how)])
  }

  /// `give user {user} the right to read and enter the directories on its path`
  public static func grantReadingPath(user: String) -> Message {
    Message(code: "grant-reading-path", ["user": .text(user)])
  }

  /// `make room in {path}`
  public static func makeRoomIn(path: String) -> Message {
    Message(code: "make-room-in", ["path": .text(path)])
  }

  /// `its file system does not take this name: name an archive on another one`
  public static let nameOtherArchive = Message(code: "name-other-archive")

  /// `see that files can be made in {path}`
  public static func makeFilesPossible(path: String) -> Message {
    Message(code: "make-files-possible", ["path": .text(path)])
  }

  /// `make it: {how}`
  public static func makeIt(how: String) -> Message {
    Message(code: "make-it", ["how": .text(how)])
  }

  /// `name a directory as its path`
  public static let nameADirectory = Message(code: "name-a-directory")

  /// `see that it can be read`
  public static let makeReadable = Message(code: "make-readable")

  /// `see that {path} can be read`
  public static func makePathReadable(path: String) -> Message {
    Message(code: "make-path-readable", ["path": .text(path)])
  }

  /// `raise the limits of threads and open files`
  public static let raiseLimits = Message(code: "raise-limits")

  /// `raise fs.inotify.max_user_watches and fs.inotify.max_user_instances`
  public static let raiseInotify = Message(code: "raise-inotify")

  /// `it is tried again every {time}`
  public static func triedAgain(time: Duration) -> Message {
    Message(code: "tried-again", ["time": .duration(time)])
  }

  /// `make or mount it again; it is looked for every {time}`
  public static func lookedFor(time: Duration) -> Message {
    Message(code: "looked-for", ["time": .duration(time)])
  }

  /// `stop the other daemon, or take the spool out of one configuration`
  public static let stopOtherDaemon = Message(code: "stop-other-daemon")

  /// `the directory is polled meanwhile`
  public static let polledMeanwhile = Message(code: "polled-meanwhile")

  /// `let programs write elsewhere and rename the finished file into the spool`
  public static let renameFinishedFiles = Message(code: "rename-finished-files")

  /// `cannot read {path}: {why}`
  public static func cannotRead(path: String, why: String) -> Message {
    Message(code: "cannot-read", ["path": .text(path), "why": .text(why)])
  }

  /// `put the value into this file, readable by the daemon's user alone`
  public static let putValueIntoFile = Message(code: "put-value-into-file")

  /// `let the daemon's user read it, and enter each directory above it`
  public static let letUserRead = Message(code: "let-user-read")

  /// `it must hold the value alone, on one line`
  public static let valueAlone = Message(code: "value-alone")

  /// `it must be a regular file that holds the value alone, on one line`
  public static let regularFileValueAlone = Message(code: "regular-file-value-alone")

  /// `set it in the daemon's unit, or use a file`
  public static let setInUnit = Message(code: "set-in-unit")

  /// `add LoadCredential={name}:/path/to/file to the unit`
  public static func loadCredential(name: String) -> Message {
    Message(code: "load-credential", ["name": .text(name)])
  }

  /// `add LoadCredential={name}:/path/to/file to the unit and start it with systemctl`
  public static func loadCredentialAndStart(name: String) -> Message {
    Message(code: "load-credential-and-start", ["name": .text(name)])
  }

  /// `{why} (read at start: restart waybill after changing it)`
  public static func readAtStart(why: Message) -> Message {
    Message(code: "read-at-start", ["why": .message(why)])
  }

  /// `{command}`
  public static func command(command: String) -> Message {
    Message(code: "command", ["command": .text(command)])
  }

  /// `{command}, or {other}`
  public static func commandOr(command: String, other: String) -> Message {
    Message(code: "command-or", ["command": .text(command), "other": .text(other)])
  }

  /// `look after the disk, then start the daemon again`
  public static let lookAfterDisk = Message(code: "look-after-disk")

  /// `let programs make the marker when they are done with the directory`
  public static let makeMarkerWhenDone = Message(code: "make-marker-when-done")

  /// `name a directory`
  public static let nameDirectory = Message(code: "name-directory")

  /// `name another archive`
  public static let nameAnotherArchive = Message(code: "name-another-archive")

  /// `mount it read-write, or {how}`
  public static func mountReadWrite(how: String) -> Message {
    Message(code: "mount-read-write", ["how": .text(how)])
  }

  /// `the file system cannot rename without replacing: put the spool on another one`
  public static let needsOtherFileSystem = Message(code: "needs-other-file-system")

  /// `a sandbox around the daemon, or an old kernel, refuses a call that it makes`
  public static let sandboxRefuses = Message(code: "sandbox-refuses")

  /// `.waybill is on another file system: it must be a plain directory of the spool`
  public static let claimsElsewhere = Message(code: "claims-elsewhere")

  /// `there is no space left: make room there`
  public static let noSpaceLeft = Message(code: "no-space-left")

  /// `see that files can be made and renamed in {path}`
  public static func makeRenamesPossible(path: String) -> Message {
    Message(code: "make-renames-possible", ["path": .text(path)])
  }

  /// `it must be a PEM file`
  public static let mustBePem = Message(code: "must-be-pem")

  /// `it must hold 32 bytes, or their base64 on one line: {command}`
  public static func mustBeKey(command: String) -> Message {
    Message(code: "must-be-key", ["command": .text(command)])
  }

  /// `it must be a regular file`
  public static let mustBeRegular = Message(code: "must-be-regular")

  /// `a value has at most 64 KiB`
  public static let valueTooLarge = Message(code: "value-too-large")

  /// `name the credentials file by AWS_SHARED_CREDENTIALS_FILE in the daemon's unit`
  public static let nameAwsFile = Message(code: "name-aws-file")

  /// `set AWS_SHARED_CREDENTIALS_FILE in the daemon's unit`
  public static let setAwsFile = Message(code: "set-aws-file")

  /// `{source} cannot be found: neither AWS_SHARED_CREDENTIALS_FILE nor HOME is set`
  public static func awsFileNotFound(source: String) -> Message {
    Message(code: "aws-file-not-found", ["source": .text(source)])
  }

  /// `{source} is no AWS profile`
  public static func isNoProfile(source: String) -> Message {
    Message(code: "is-no-profile", ["source": .text(source)])
  }

  /// `{source} is not set`
  public static func isNotSet(source: String) -> Message {
    Message(code: "is-not-set", ["source": .text(source)])
  }

  /// `{source} cannot be used here`
  public static func notUsableHere(source: String) -> Message {
    Message(code: "not-usable-here", ["source": .text(source)])
  }

  /// `{source}: it is being fetched`
  public static func beingFetched(source: String) -> Message {
    Message(code: "being-fetched", ["source": .text(source)])
  }

  /// `no certificate`
  public static let noCertificate = Message(code: "no-certificate")

  /// `{source} is missing: $CREDENTIALS_DIRECTORY is not set`
  public static func credentialMissing(source: String) -> Message {
    Message(code: "credential-missing", ["source": .text(source)])
  }

  /// `waybill check, then waybill reload`
  public static let checkThenReload = Message(code: "check-then-reload")

  /// `then waybill reload`
  public static let reloadWhenNamed = Message(code: "reload-when-named")

  /// `put [[spool]] {spool} back with its path, then waybill reload`
  public static func putSpoolBack(spool: String) -> Message {
    Message(code: "put-spool-back", ["spool": .text(spool)])
  }

  /// `put [{storage}] back until they are deleted, then waybill reload`
  public static func putStorageBack(storage: String) -> Message {
    Message(code: "put-storage-back", ["storage": .text(storage)])
  }

  /// `waybill explain FILE says why a file waits: move away those that are not to be sent`
  public static let seeWhyTheyWait = Message(code: "see-why-they-wait")

  /// `have one user drop a document and its sidecar`
  public static let dropBothAsOne = Message(code: "drop-both-as-one")

  /// `split the directory, and give each part a spool of its own`
  public static let splitDirectory = Message(code: "split-directory")

  /// `if that is meant, remove the directory {path}`
  public static func removeNotes(path: String) -> Message {
    Message(code: "remove-notes", ["path": .text(path)])
  }

  /// `finish them first with the earlier "after"`
  public static let finishWithAfter = Message(code: "finish-with-after")

  /// `see that {path} is a directory of user {user}`
  public static func ownStateDirectory(path: String, user: String) -> Message {
    Message(code: "own-state-directory", ["path": .text(path), "user": .text(user)])
  }

  /// `mount it, or make the directory; it is looked for every {time}`
  public static func mountOrMake(time: Duration) -> Message {
    Message(code: "mount-or-make", ["time": .duration(time)])
  }

  /// `raise the limit and restart (LimitNOFILE= in the unit, --ulimit nofile= of a container), or set a lower concurrency`
  public static let raiseDescriptors = Message(code: "raise-descriptors")

  /// `see if the document was sent with the right description; a sidecar waits for a document of its name`
  public static let seeDescription = Message(code: "see-description")

  /// `see the program that writes it; sidecar_wait is the time to wait`
  public static let seeSidecarWriter = Message(code: "see-sidecar-writer")

  /// `the sidecar is kept with its document, and its text is sent if it is text`
  public static let sidecarIsKept = Message(code: "sidecar-is-kept")

  /// `it is kept in {path}/.waybill/sidecars: compare it with the one in the spool, and remove one of them`
  public static func compareSidecars(path: String) -> Message {
    Message(code: "compare-sidecars", ["path": .text(path)])
  }

  /// `put first in the sidecar what the object needs, or make it shorter`
  public static let shortenMetadata = Message(code: "shorten-metadata")

  /// `see what stands beside {id} in {path}/.waybill; it is tried again by itself`
  public static func seeBesideClaim(id: String, path: String) -> Message {
    Message(code: "see-beside-claim", ["id": .text(id), "path": .text(path)])
  }

  /// `see that a group has files and directories alone, and not too many`
  public static let groupOfFilesOnly = Message(code: "group-of-files-only")

  /// `look what it is and move it away`
  public static let moveItAway = Message(code: "move-it-away")

  /// `run the daemon as user {owner}, or move {path} away`
  public static func runAsOwner(owner: String, path: String) -> Message {
    Message(code: "run-as-owner", ["owner": .text(owner), "path": .text(path)])
  }

  /// `look that nobody put files there, then chmod 0700 {path}`
  public static func closeForOthers(path: String) -> Message {
    Message(code: "close-for-others", ["path": .text(path)])
  }

  /// `see that {path} is a directory of user {user}, mode 0700`
  public static func ownClaimsDirectory(path: String, user: String) -> Message {
    Message(code: "own-claims-directory", ["path": .text(path), "user": .text(user)])
  }

  /// `see who writes in {path}`
  public static func seeWhoWrites(path: String) -> Message {
    Message(code: "see-who-writes", ["path": .text(path)])
  }

  /// `let programs rename finished files into it; one that may be open must be unchanged for {time}`
  public static func renameIntoOrWait(time: Duration) -> Message {
    Message(code: "rename-into-or-wait", ["time": .duration(time)])
  }

  /// `let programs rename finished files into it; one that is written in place must be unchanged for settle_unseen`
  public static let renameIntoOrSettle = Message(code: "rename-into-or-settle")

  /// `give the daemon CAP_LEASE, so that it can ask`
  public static let giveLeaseRight = Message(code: "give-lease-right")

  /// `if this is frequent, raise fs.inotify.max_queued_events`
  public static let raiseQueuedEvents = Message(code: "raise-queued-events")

  /// `paths below a spool have at most {limit} bytes`
  public static func pathLimit(limit: some BinaryInteger) -> Message {
    Message(code: "path-limit", ["limit": .number(Int64(clamping: limit))])
  }

  /// `set the clock: timedatectl shows it, and systemd-timesyncd or chrony keeps it right`
  public static let setTheClock = Message(code: "set-the-clock")

  /// `see {receiver} in waybill.toml, and whether its receiver is up`
  public static func seeReceiver(receiver: String) -> Message {
    Message(code: "see-receiver", ["receiver": .text(receiver)])
  }

  /// `{source} {why}`
  public static func credentialUnusable(source: String, why: String) -> Message {
    Message(code: "credential-unusable", ["source": .text(source), "why": .text(why)])
  }

  /// `{source}: {why}`
  public static func credentialNotFetched(source: String, why: String) -> Message {
    Message(code: "credential-not-fetched", ["source": .text(source), "why": .text(why)])
  }
}
