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
}
