// Made by scripts/messages from Table/files.txt.

extension Message {
  /// `cannot {operation} {path}: {why} ({code})`
  public static func fileError(operation: String, path: String, why: String, code: String) -> Message {
    Message(
      code: "file-error", ["operation": .text(operation), "path": .text(path), "why": .text(why), "code": .text(code)])
  }

  /// `cannot {operation} {path} to {target}: {why} ({code})`
  public static func fileErrorTo(operation: String, path: String, target: String, why: String, code: String) -> Message
  {
    Message(
      code: "file-error-to",
      [
        "operation": .text(operation), "path": .text(path), "target": .text(target), "why": .text(why),
        "code": .text(code),
      ])
  }

  /// `cannot {operation} {path}: {why} ({code}); {advice}`
  public static func fileErrorAdvice(operation: String, path: String, why: String, code: String, advice: String)
    -> Message
  {
    Message(
      code: "file-error-advice",
      [
        "operation": .text(operation), "path": .text(path), "why": .text(why), "code": .text(code),
        "advice": .text(advice),
      ])
  }

  /// `cannot {operation} {path} to {target}: {why} ({code}); {advice}`
  public static func fileErrorToAdvice(
    operation: String, path: String, target: String, why: String, code: String, advice: String
  ) -> Message {
    Message(
      code: "file-error-to-advice",
      [
        "operation": .text(operation), "path": .text(path), "target": .text(target), "why": .text(why),
        "code": .text(code), "advice": .text(advice),
      ])
  }

  /// `{error}: {advice}`
  public static func fileErrorAndAdvice(error: Message, advice: String) -> Message {
    Message(code: "file-error-and-advice", ["error": .message(error), "advice": .text(advice)])
  }

  /// `{name} is no longer configured`
  public static func notConfigured(name: String) -> Message {
    Message(code: "not-configured", ["name": .text(name)])
  }

  /// `its files cannot be listed: {why}`
  public static func filesUnlisted(why: Message) -> Message {
    Message(code: "files-unlisted", ["why": .message(why)])
  }

  /// `the sidecar {name} cannot be read: {why}`
  public static func sidecarUnreadable(name: String, why: Message) -> Message {
    Message(code: "sidecar-unreadable", ["name": .text(name), "why": .message(why)])
  }

  /// `{what}; confirm sends it without`
  public static func withoutSidecar(what: Message) -> Message {
    Message(code: "without-sidecar", ["what": .message(what)])
  }

  /// `unexpected error {name}: {why}`
  public static func unexpectedError(name: String, why: String) -> Message {
    Message(code: "unexpected-error", ["name": .text(name), "why": .text(why)])
  }

  /// `the ledger has no link for this job`
  public static let noLink = Message(code: "no-link")

  /// `the file was replaced by another one`
  public static let fileReplaced = Message(code: "file-replaced")

  /// `the file changed: it had {before} bytes and has {now} now`
  public static func fileSizeChanged(before: some BinaryInteger, now: some BinaryInteger) -> Message {
    Message(
      code: "file-size-changed", ["before": .number(Int64(clamping: before)), "now": .number(Int64(clamping: now))])
  }

  /// `the file was written to at {at}`
  public static func fileWrittenTo(at: String) -> Message {
    Message(code: "file-written-to", ["at": .time(at)])
  }

  /// `the file was changed, and its time was set back`
  public static let fileTimeSetBack = Message(code: "file-time-set-back")

  /// `the file {path} ended before its length of {size} bytes`
  public static func fileEndedShort(path: String, size: some BinaryInteger) -> Message {
    Message(code: "file-ended-short", ["path": .text(path), "size": .number(Int64(clamping: size))])
  }

  /// `what belongs to it cannot be read: {why}; confirm sends it without that, release gives it back`
  public static func belongingsUnreadable(why: Message) -> Message {
    Message(code: "belongings-unreadable", ["why": .message(why)])
  }

  /// `it has no files besides its marker; confirm registers it with an empty list`
  public static let emptyGroup = Message(code: "empty-group")

  /// `its name does not match {pattern}; confirm sends it without the parts of its name`
  public static func nameUnmatched(pattern: String) -> Message {
    Message(code: "name-unmatched", ["pattern": .text(pattern)])
  }

  /// `its name takes too many steps to match {pattern}: simplify match of spool {spool}; confirm sends it without the parts of its name`
  public static func matchTooLong(pattern: String, spool: String) -> Message {
    Message(code: "match-too-long", ["pattern": .text(pattern), "spool": .text(spool)])
  }
}
