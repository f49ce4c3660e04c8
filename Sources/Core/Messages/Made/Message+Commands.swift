// Made by scripts/messages from Table/commands.txt.

extension Message {
  /// `job {job} is {state}; it cannot be {wanted}`
  public static func cannotBe(job: some BinaryInteger, state: Message, wanted: String) -> Message {
    Message(
      code: "cannot-be", ["job": .number(Int64(clamping: job)), "state": .message(state), "wanted": .text(wanted)])
  }

  /// `job {job} was {what} by {user} at {at}; it cannot be {wanted}`
  public static func cannotBeSince(job: some BinaryInteger, what: String, user: String, at: String, wanted: String)
    -> Message
  {
    Message(
      code: "cannot-be-since",
      [
        "job": .number(Int64(clamping: job)), "what": .text(what), "user": .text(user), "at": .time(at),
        "wanted": .text(wanted),
      ])
  }

  /// `queued for {step}`
  public static func stateQueued(step: String) -> Message {
    Message(code: "state-queued", ["step": .text(step)])
  }

  /// `at its {step}`
  public static func stateActive(step: String) -> Message {
    Message(code: "state-active", ["step": .text(step)])
  }

  /// `waiting for its next try to {step}`
  public static func stateDeferred(step: String) -> Message {
    Message(code: "state-deferred", ["step": .text(step)])
  }

  /// `waiting for an answer about its {step}`
  public static func stateAsking(step: String) -> Message {
    Message(code: "state-asking", ["step": .text(step)])
  }

  /// `waiting for a key to {step}`
  public static func stateAwaitingKey(step: String) -> Message {
    Message(code: "state-awaiting-key", ["step": .text(step)])
  }

  /// `waiting for the network to {step}`
  public static func stateAwaitingNetwork(step: String) -> Message {
    Message(code: "state-awaiting-network", ["step": .text(step)])
  }

  /// `{state}`
  public static func stateEnded(state: String) -> Message {
    Message(code: "state-ended", ["state": .text(state)])
  }

  /// `Job {job} has changed: its revision is {now}, not {seen}`
  public static func revisionChanged(job: some BinaryInteger, now: some BinaryInteger, seen: some BinaryInteger)
    -> Message
  {
    Message(
      code: "revision-changed",
      [
        "job": .number(Int64(clamping: job)), "now": .number(Int64(clamping: now)),
        "seen": .number(Int64(clamping: seen)),
      ])
  }

  /// `job {job} has changed since: it is {state}, revision {revision}`
  public static func jobChangedSince(job: String, state: String, revision: some BinaryInteger) -> Message {
    Message(
      code: "job-changed-since",
      ["job": .text(job), "state": .text(state), "revision": .number(Int64(clamping: revision))])
  }

  /// `job {job} is not known`
  public static func jobNotKnown(job: String) -> Message {
    Message(code: "job-not-known", ["job": .text(job)])
  }

  /// `job {job} is {state}`
  public static func jobIs(job: String, state: String) -> Message {
    Message(code: "job-is", ["job": .text(job), "state": .text(state)])
  }

  /// `job {job} is left as it is: {why}`
  public static func jobLeft(job: String, why: Message) -> Message {
    Message(code: "job-left", ["job": .text(job), "why": .message(why)])
  }

  /// `There is no job {job}`
  public static func noSuchJob(job: String) -> Message {
    Message(code: "no-such-job", ["job": .text(job)])
  }

  /// `There is no group {group}; the groups are shown by: waybill list --by reason`
  public static func noSuchGroup(group: some BinaryInteger) -> Message {
    Message(code: "no-such-group", ["group": .number(Int64(clamping: group))])
  }

  /// `backend.{name} is no longer configured, so the link cannot be registered there`
  public static func linkWithoutBackend(name: String) -> Message {
    Message(code: "link-without-backend", ["name": .text(name)])
  }

  /// `The daemon is stopping`
  public static let stopping = Message(code: "stopping")

  /// `Group {group} is not the one that was shown, and nothing was changed: it is now {count} jobs {state} at {step}`
  public static func groupChanged(group: some BinaryInteger, count: some BinaryInteger, state: String, step: String)
    -> Message
  {
    Message(
      code: "group-changed",
      [
        "group": .number(Int64(clamping: group)), "count": .number(Int64(clamping: count)), "state": .text(state),
        "step": .text(step),
      ])
  }

  /// `Group {group} is not the one that was shown, and nothing was changed: it is now 1 job {state} at {step}`
  public static func groupChangedOne(group: some BinaryInteger, state: String, step: String) -> Message {
    Message(
      code: "group-changed-one", ["group": .number(Int64(clamping: group)), "state": .text(state), "step": .text(step)])
  }

  /// `Group {group} is not the one that was shown, and nothing was changed: it is now {count} jobs {state} at {step}: {why}`
  public static func groupChangedWhy(
    group: some BinaryInteger, count: some BinaryInteger, state: String, step: String, why: Message
  ) -> Message {
    Message(
      code: "group-changed-why",
      [
        "group": .number(Int64(clamping: group)), "count": .number(Int64(clamping: count)), "state": .text(state),
        "step": .text(step), "why": .message(why),
      ])
  }

  /// `Group {group} is not the one that was shown, and nothing was changed: it is now 1 job {state} at {step}: {why}`
  public static func groupChangedOneWhy(group: some BinaryInteger, state: String, step: String, why: Message) -> Message
  {
    Message(
      code: "group-changed-one-why",
      ["group": .number(Int64(clamping: group)), "state": .text(state), "step": .text(step), "why": .message(why)])
  }

  /// `Group {group} is not the one that was shown, and nothing was changed: none of its jobs is left`
  public static func groupGone(group: some BinaryInteger) -> Message {
    Message(code: "group-gone", ["group": .number(Int64(clamping: group))])
  }

  /// `{name} cannot be released: {why}`
  public static func cannotBeReleased(name: String, why: Message) -> Message {
    Message(code: "cannot-be-released", ["name": .text(name), "why": .message(why)])
  }

  /// `{path} is {what}; {remedy}`
  public static func releaseToReserved(path: String, what: Message, remedy: Message) -> Message {
    Message(code: "release-to-reserved", ["path": .text(path), "what": .message(what), "remedy": .message(remedy)])
  }

  /// `{path} is in the spool of another waybilld, where the file would be taken as a new job; name a directory outside of it`
  public static func releaseToOtherSpool(path: String) -> Message {
    Message(code: "release-to-other-spool", ["path": .text(path)])
  }

  /// `the daemon's state directory`
  public static let reservedState = Message(code: "reserved-state")

  /// `the directory of the control socket`
  public static let reservedControl = Message(code: "reserved-control")

  /// `the daemon's runtime directory`
  public static let reservedRuntime = Message(code: "reserved-runtime")

  /// `the directory of the configuration`
  public static let reservedConfiguration = Message(code: "reserved-configuration")

  /// `a part of the configuration`
  public static let reservedConfigurationPart = Message(code: "reserved-configuration-part")

  /// `the directory of the daemon's keys`
  public static let reservedDaemonKeys = Message(code: "reserved-daemon-keys")

  /// `a directory of keys`
  public static let reservedKeys = Message(code: "reserved-keys")

  /// `in the spool {spool}, where the file would be taken as a new job`
  public static func reservedSpool(spool: String) -> Message {
    Message(code: "reserved-spool", ["spool": .text(spool)])
  }

  /// `name a directory of your own`
  public static let nameOwnDirectory = Message(code: "name-own-directory")

  /// `waybill retry sends it again; otherwise name a directory outside of it`
  public static let retryOrNameOutside = Message(code: "retry-or-name-outside")

  /// `{method} is not for this path`
  public static func methodNotHere(method: String) -> Message {
    Message(code: "method-not-here", ["method": .text(method)])
  }

  /// `The daemon's journal says why`
  public static let journalSaysWhy = Message(code: "journal-says-why")

  /// `There are too many readers of events already`
  public static let tooManyReaders = Message(code: "too-many-readers")

  /// `There are too many callers that wait for changes already`
  public static let tooManyWaiting = Message(code: "too-many-waiting")

  /// `The control socket has too many connections`
  public static let tooManyConnections = Message(code: "too-many-connections")

  /// `Browsers are not served here: waybill web opens the operator's page for one`
  public static let noBrowsers = Message(code: "no-browsers")

  /// `The control socket is not {host}: ask it as localhost, e.g. http://localhost/v1/status`
  public static func wrongHost(host: String) -> Message {
    Message(code: "wrong-host", ["host": .text(host)])
  }

  /// `A request's body may have at most {limit} bytes`
  public static func bodyTooLarge(limit: some BinaryInteger) -> Message {
    Message(code: "body-too-large", ["limit": .number(Int64(clamping: limit))])
  }

  /// `The body cannot be read: it has neither Content-Length nor a chunked form, or breaks off`
  public static let requestBodyUnreadable = Message(code: "request-body-unreadable")

  /// `A command takes nothing behind its path: put ?{query} into the body, as JSON`
  public static func queryOfCommand(query: String) -> Message {
    Message(code: "query-of-command", ["query": .text(query)])
  }

  /// `parameter "{query}" is not known; there are none here`
  public static func parameterUnknown(query: String) -> Message {
    Message(code: "parameter-unknown", ["query": .text(query)])
  }

  /// `There is no job {job}; a job is named by its number or its id`
  public static func jobNameUnknown(job: String) -> Message {
    Message(code: "job-name-unknown", ["job": .text(job)])
  }

  /// `There is nothing at {path}`
  public static func nothingAt(path: String) -> Message {
    Message(code: "nothing-at", ["path": .text(path)])
  }

  /// `User {user} may not act for other people (Waybill-On-Behalf-Of): only the agent of the fleet may, whose user is [daemon] fleet_user in the configuration`
  public static func mayNotActForOthers(user: String) -> Message {
    Message(code: "may-not-act-for-others", ["user": .text(user)])
  }

  /// `Waybill-On-Behalf-Of has to be the name of a person, of at most {person} bytes without commas and parentheses, and so has Waybill-On-Behalf-Role that of a role, of at most {role}`
  public static func noPersonsName(person: some BinaryInteger, role: some BinaryInteger) -> Message {
    Message(
      code: "no-persons-name", ["person": .number(Int64(clamping: person)), "role": .number(Int64(clamping: role))])
  }

  /// `The daemon does not start: {why}`
  public static func daemonDoesNotStart(why: String) -> Message {
    Message(code: "daemon-does-not-start", ["why": .text(why)])
  }

  /// `the events cannot be read: {why}`
  public static func eventsUnreadable(why: String) -> Message {
    Message(code: "events-unreadable", ["why": .text(why)])
  }

  /// `Nothing was changed: spool.{spool} is no longer configured, so the file of job {job} cannot be removed. Give a [[spool]] with its directory the name {spool}, then discard it`
  public static func spoolOfFileMissing(spool: String, job: some BinaryInteger) -> Message {
    Message(code: "spool-of-file-missing", ["spool": .text(spool), "job": .number(Int64(clamping: job))])
  }

  /// `recovered can only be resumed: pause all jobs instead`
  public static let recoveredOnlyResumed = Message(code: "recovered-only-resumed")

  /// `the daemon itself begins and ends the hold of a late spool`
  public static let holdOfLateSpool = Message(code: "hold-of-late-spool")

  /// `There is no {kind} {name}; the {kind}s are: {names}`
  public static func noSuchName(kind: String, name: String, names: String) -> Message {
    Message(code: "no-such-name", ["kind": .text(kind), "name": .text(name), "names": .text(names)])
  }

  /// `Configuration rejected; the old one stays in use:{why}`
  public static func configurationRejected(why: String) -> Message {
    Message(code: "configuration-rejected", ["why": .text(why)])
  }
}
