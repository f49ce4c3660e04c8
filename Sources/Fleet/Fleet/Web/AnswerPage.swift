import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// A command that a person is about to give, with the jobs or hosts that it applies to.
struct Answer: Sendable {
  /// The jobs or the hosts that a command applies to.
  enum Target: Hashable, Sendable {
    /// All jobs of a group, by the name of one of them, as they were shown; and how many of them the hosts allowed.
    case group(String, FleetDigest?, most: Int64?)
    /// One job, with the revision that the person saw.
    case job(String, revision: Int64)
    /// A target to pause or resume: on the hosts where it is held for this reason, or on all; with the hosts as they were shown.
    case hold(String, Held?, digest: String?)
  }

  /// A gate or a pause as hosts have it.
  struct Held: Hashable, Sendable {
    var isGate: Bool
    var reason: String

    /// The fields of a link.
    var fields: [(String, String)] { [("hold", isGate ? "gate" : "pause"), ("why", reason)] }
  }

  var action: String
  var target: Target
  var reason: String?
  /// True for a cancel that deletes the objects too.
  var remove: Bool

  /// The actions that the page knows.
  private static let ofJobs: Set<String> = ["confirm", "cancel", "retry"]

  /// Reads the fields of an address or a form; nil if they are no command.
  init?(_ fields: FormFields) {
    guard let action = fields["action"] else { return nil }
    self.action = action
    reason = fields["reason"].map { String($0.prefix(2000)) }
    remove = action == "cancel" && fields["remove"] != nil
    if Self.ofJobs.contains(action), let group = fields["group"] {
      guard let text = fields["digest"] else {
        target = .group(group, nil, most: nil)
        return
      }
      guard let digest = FleetDigest(text) else { return nil }
      target = .group(group, digest, most: fields["most"].flatMap { Int64($0) })
    } else if Self.ofJobs.contains(action), let job = fields["job"],
      let revision = fields["revision"].flatMap({ Int64($0) })
    {
      target = .job(job, revision: revision)
    } else if action == "pause" || action == "resume", let name = fields["target"], name.utf8.count <= 200 {
      let held = fields["hold"].map { Held(isGate: $0 == "gate", reason: fields["why"] ?? "") }
      target = .hold(name, held, digest: fields["digest"])
    } else {
      return nil
    }
  }

  /// True if it does not say which jobs or hosts the person saw.
  var isUnseen: Bool {
    switch target {
    case .group(_, nil, _), .hold(_, _, nil): true
    case .group, .job, .hold: false
    }
  }

  /// Returns the fields of the form that gives the command. For a group and for hosts they include what the form shows.
  private func fields(_ meaning: Meaning) -> [(String, String)] {
    switch target {
    case .group(let name, _, _):
      [("action", action), ("group", name), ("most", String(meaning.count))]
        + (meaning.digest.map { [("digest", $0.description)] } ?? [])
    case .job(let name, let revision): [("action", action), ("job", name), ("revision", String(revision))]
    case .hold(let name, let held, _):
      [("action", action), ("target", name)] + (held?.fields ?? []) + [("digest", meaning.holders)]
    }
  }

  /// The jobs or hosts that the command applies to, as the database has them.
  struct Meaning: Sendable {
    /// In words.
    var words: String
    /// The number of jobs, or of hosts for a pause.
    var count: Int64
    /// The number of hosts.
    var hosts: Int64
    /// The jobs of hosts that do not allow the command.
    var notAllowed: Int64 = 0
    /// The jobs whose hosts allow that the objects are deleted too.
    var removable: Int64 = 0
    /// The hosts that were not heard of for three heartbeats.
    var silent: Int64 = 0
    /// The digest of the group.
    fileprivate var digest: FleetDigest?
    fileprivate var filter = FleetFilter()
    /// The ledgers of the hosts that are asked to pause or to resume.
    fileprivate var ledgers: [String] = []

    /// The hash of those hosts.
    fileprivate var holders: String { GroupDigest.hash(ledgers.sorted()) }
  }

  /// Looks up what the command applies to now; nil if nothing is left of it.
  func meaning(_ session: PostgreSQLSession) throws -> Meaning? {
    var filter = FleetFilter()
    switch target {
    case .group(let name, _, _):
      filter.group = try FleetView.group(session, of: name)
      guard let key = filter.group, FleetGroup.waiting.contains(key.state),
        let command = JobCommand.Name(rawValue: action), let state = JobState(rawValue: key.state),
        command.fittingStates.contains(state), let group = try FleetView.groups(session, filter, limit: 1).first
      else { return nil }
      let place = group.key.destination.map { "\($0): " } ?? ""
      return Meaning(
        words: place + group.shown, count: group.allowed[action] ?? 0, hosts: group.hosts,
        notAllowed: group.jobs -| (group.allowed[action] ?? 0), removable: group.allowed["remove"] ?? 0,
        silent: group.silentHosts, digest: group.digest, filter: filter)
    case .job(let name, _):
      filter.jobs = [name]
      guard let job = try FleetView.jobs(session, filter, limit: 1).jobs.first else { return nil }
      let isAllowed = job.allow.contains(action)
      return Meaning(
        words: "\(job.shown) \(job.job.name)", count: isAllowed ? 1 : 0, hosts: 1, notAllowed: isAllowed ? 0 : 1,
        removable: isAllowed && job.allow.contains("remove") ? 1 : 0, silent: job.isOfSilentHost ? 1 : 0, filter: filter
      )
    case .hold(let name, let held, _):
      var hosts = try FleetView.hosts(session)
      if let held {
        let holders = Set(
          try FleetView.holds(session).filter {
            $0.isGate == held.isGate && $0.hold.destination == name && $0.hold.reason == held.reason
          }.map(\.ledger))
        hosts = hosts.filter { holders.contains($0.ledger) }
      }
      guard !hosts.isEmpty else { return nil }
      let allowed = hosts.filter { $0.allow.contains("pause") }
      return Meaning(
        words: name, count: Int64(allowed.count), hosts: Int64(hosts.count),
        notAllowed: Int64(hosts.count - allowed.count), silent: Int64(allowed.count(where: \.isSilent)), filter: filter,
        ledgers: allowed.map(\.ledger))
    }
  }

  /// Gives the command; nil if nothing is left that it applies to.
  ///
  /// - Throws: `FleetGroupChanged` if the group or the hosts are not those that the person saw.
  func give(_ session: PostgreSQLSession, by person: String) throws -> FleetRequest? {
    guard var meaning = try meaning(session) else { return nil }
    var most: Int64?
    if case .group(_, let digest, let shown) = target { (meaning.filter.digest, most) = (digest, shown) }
    if isChanged(meaning) { throw FleetGroupChanged() }
    let asker = FleetRequest.Asker(person, expiresIn: Self.expiry)
    let request: FleetRequest
    switch target {
    case .hold(let name, _, _):
      request = try FleetRequest.pause(
        session, action, target: name, host: nil, ledgers: meaning.ledgers, by: asker)
    case .group, .job:
      var revision: Int64?
      if case .job(_, let seen) = target { revision = seen }
      let arguments = FleetCommand.Arguments(
        reason: action == "cancel" ? reason : nil, remove: remove ? true : nil)
      request = try FleetRequest.ask(
        session, action, arguments, of: meaning.filter, in: meaning.words, by: asker, revision: revision,
        onlyAllowed: true, most: most)
    }
    return request.count > 0 ? request : nil
  }

  /// A day, as for the commands.
  private static let expiry: Int64 = 24 * 3600

  /// Returns the checkbox for a cancel that deletes the objects too, if a host allows that.
  private func removal(_ meaning: Meaning) -> Markup {
    guard meaning.removable > 0 else { return "" }
    let some: Markup =
      meaning.removable < meaning.count
      ? """
       \(Markup.words("f_removeSome", "(only {0} of them: the hosts of the others do not allow it, and they are left out then)", Markup.grouped(meaning.removable)))
      """ : ""
    return """
      <p><label><input name="remove" type="checkbox" value="1"> \
      \(Markup.words("remove", "Also delete what is stored already"))\(some)</label></p>
      """
  }

  /// Returns true if the group, or the hosts, are not those that the link or the form was made for.
  func isChanged(_ meaning: Meaning) -> Bool {
    if case .hold(_, _, let digest?) = target { return digest != meaning.holders }
    guard case .group(_, let digest?, _) = target, let key = meaning.filter.group else { return false }
    return !digest.isOf(key, meaning.filter)
  }

  /// Returns the page with the question before the command is given.
  ///
  /// - Parameter isChanged: true if the question is about something else than before.
  func markup(_ meaning: Meaning, isChanged: Bool = false) -> Markup {
    let (key, english): (String, String) =
      switch action {
      case "confirm", "retry": ("f_askRetry", "Retry? Jobs: {0}")
      case "cancel": ("f_askCancel", "Cancel? Jobs: {0}")
      case "pause": ("f_askPause", "Pause {1}? Hosts: {0}")
      default: ("f_askResume", "Resume {1}? Hosts: {0}")
      }
    let title = Markup.words(key, english, Markup.grouped(meaning.count), meaning.words)
    var notes: [Markup] = []
    if isChanged {
      notes.append(
        "<p role=\"alert\"><strong>\(Markup.words("f_groupChanged", "This has changed since it was shown, and nothing was done. This is what it is now:"))</strong></p>"
      )
    }
    if case .hold = target {
    } else {
      notes.append(
        "<p>\(Markup.said(meaning.words, nil)) · \(Markup.words("f_onHostsNumber", "hosts: {0}", Markup.grouped(meaning.hosts)))</p>"
      )
    }
    if meaning.notAllowed > 0 {
      notes.append(
        "<p>\(Markup.words("f_notAllowed", "{0} more are on hosts that do not allow this from elsewhere, and are left out.", Markup.grouped(meaning.notAllowed)))</p>"
      )
    }
    if meaning.silent > 0 {
      notes.append(
        "<p>\(Markup.words("f_later", "{0} of the hosts were not heard of lately: they carry it out when they are back, within 24 hours.", Markup.grouped(meaning.silent)))</p>"
      )
    }
    let why: Markup =
      action == "cancel"
      ? """
      <p><label>\(Markup.words("why", "Why (kept with the job)")) <input name="reason" type="text" maxlength="2000" autocomplete="off"></label></p>\(removal(meaning))
      """ : ""
    let hidden = fields(meaning).map { "<input type=\"hidden\" name=\"\($0.0)\" value=\"\($0.1)\">" as Markup }
    let label: Markup =
      switch action {
      case "confirm", "retry": .words("yes", "Retry them")
      case "cancel": .words("f_cancelDo", "Cancel them")
      case "pause": .words("pause", "Pause")
      default: .words("resume", "Resume")
      }
    return """
      <section id="answer" aria-labelledby="answer-t"><h2 id="answer-t">\(title)</h2>\(notes)\
      <form method="post" action="/answer">\(hidden)\(why)<p>\
      <button type="submit" id="do"\(meaning.count == 0 ? " disabled" : "")>\(label)</button> \
      <a class="button" href="/">\(Markup.words("back", "Back"))</a></p></form></section>
      """
  }
}
