import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// The first page: what waits for people, on all hosts.
struct Overview: Sendable {
  var hosts: [FleetHost] = []
  var holds: [FleetHold] = []
  var groups: [FleetGroup] = []
  var requests: [(asked: FleetAsked, progress: FleetRequest.Progress)] = []

  /// The most lines of each list on the page; the commands show all of them.
  static let most = 50
  private static let requestsShown = 6
  /// The most groups of one role that come before those of others.
  private static let mostOfRole = 10

  /// Reads what is shown.
  init(_ session: PostgreSQLSession) throws {
    hosts = try FleetView.hosts(session)
    holds = try FleetView.holds(session)
    var waiting = FleetFilter()
    waiting.states = FleetGroup.waiting
    groups = try FleetView.groups(session, waiting)
    requests = try FleetAsked.last(session, Self.requestsShown).map { ($0, try $0.request.progress(session)) }
  }

  init(hosts: [FleetHost], holds: [FleetHold], groups: [FleetGroup]) {
    (self.hosts, self.holds, self.groups) = (hosts, holds, groups)
  }

  /// Returns the page's content.
  func markup(for visitor: Visitor) -> Markup {
    let mayAsk = visitor.name != nil
    return """
      \(verdict)
      \(problems)
      \(silences)
      \(held(mayAsk))
      \(phases)
      \(waiting(mayAsk))
      \(asked)
      \(hostTable(mayAsk))
      """
  }

  private func sum(_ state: JobState) -> Int { hosts.map { $0.count(state) }.saturatingSum }

  // MARK: how the fleet is

  private var verdict: Markup {
    let silent = hosts.count(where: \.isSilent)
    let (questions, aborted) = (sum(.awaitingConfirmation), sum(.aborted))
    var parts: [Markup] = []
    if silent > 0 { parts.append(.words("f_silent", "{0} not heard of", Markup.grouped(silent))) }
    let troubled = hosts.count { !$0.isSilent && $0.isTroubled }
    if troubled > 0 { parts.append(.words("f_troubled", "{0} in trouble", Markup.grouped(troubled))) }
    let quiet = hosts.map(\.silences.count).saturatingSum
    if quiet > 0 { parts.append(.words("f_quiet", "silent spools: {0}", Markup.grouped(quiet))) }
    if questions > 0 { parts.append(.words("questions", "{0} waiting for your answer", Markup.grouped(questions))) }
    if aborted > 0 { parts.append(.words("ended", "{0} aborted", Markup.grouped(aborted))) }
    let (keys, network) = (sum(.awaitingCredentials), sum(.awaitingNetwork))
    if keys > 0 { parts.append(.words("keys", "{0} waiting for a key", Markup.grouped(keys))) }
    if network > 0 { parts.append(.words("net", "{0} waiting for the network", Markup.grouped(network))) }
    let isBad = silent > 0 || troubled > 0 || aborted > 0
    let (kind, words): (String, Markup) =
      if hosts.isEmpty {
        ("warn", .words("f_noHosts", "No hosts yet: start waybill-fleet.service on each."))
      } else if parts.isEmpty {
        ("good", .words("good", "All is well: nothing waits for you."))
      } else {
        (isBad ? "bad" : "warn", Self.joined(parts, " · "))
      }
    return "<div id=\"state\" data-live><p id=\"verdict\" role=\"status\" class=\"\(kind)\">\(words)</p></div>"
  }

  private static func joined(_ parts: [Markup], _ separator: Markup) -> Markup {
    var all = Markup.none
    for (place, part) in parts.enumerated() { all += place == 0 ? part : "\(separator)\(part)" }
    return all
  }

  private var problems: Markup {
    var lines: [Markup] = []
    for host in hosts where host.isSilent {
      lines.append(
        """
        <strong>\(host.name)</strong> <span>\(Markup.words("f_notHeard", "was not heard of since")) \
        \(Markup.time(host.seenAt)) (\(Markup.span(host.silence))). \
        \(Markup.words("f_lookAt", "Look at the host and its agent; its jobs are shown as they were then."))</span>
        """)
    }
    for host in hosts where !host.isSilent {
      if let trouble = host.trouble {
        lines.append("<strong>\(host.name)</strong> <span>\(Markup.said(trouble, nil))</span>")
      }
    }
    for host in hosts { lines += host.faults.map { Self.line($0, of: host) } }
    return Self.list("problems", "problems", "What does not work", lines)
  }

  /// The spools into which nothing comes: their daemons work.
  private var silences: Markup {
    let lines = hosts.flatMap { host in host.silences.map { Self.line($0, of: host) } }
    return Self.list("silences", "f_silences", "Silent spools", lines)
  }

  private static func line(_ problem: ProblemMessage, of host: FleetHost) -> Markup {
    let remedy: Markup = problem.remedy.isEmpty ? "" : "; \(Markup.said(problem.remedy, problem.remedySaid))"
    return "<strong>\(host.name)</strong> <span>\(Markup.said(problem.what, problem.whatSaid))\(remedy)</span>"
  }

  /// Returns a section with a list, which is hidden while the list is empty.
  private static func list(_ id: String, _ key: String, _ heading: String, _ lines: [Markup]) -> Markup {
    let shown = lines.prefix(most).map { "<li>\($0)</li>" as Markup }
    let rest: Markup =
      lines.count > most ? "<p>\(Markup.words("f_more", "and {0} more", Markup.grouped(lines.count - most)))</p>" : ""
    return """
      <section id="\(id)" aria-labelledby="\(id)-t" data-live\(lines.isEmpty ? " hidden" : "")>\
      <h2 id="\(id)-t">\(Markup.words(key, heading))</h2><ul>\(Array(shown))</ul>\(rest)</section>
      """
  }

  // MARK: gates and pauses

  private func held(_ mayAsk: Bool) -> Markup {
    struct Kind: Hashable {
      var isGate: Bool
      var destination: String
      var reason: String
    }
    let kinds = Dictionary(grouping: holds) {
      Kind(isGate: $0.isGate, destination: $0.hold.destination, reason: $0.hold.reason)
    }.sorted {
      ($1.value.count, $0.key.destination, $0.key.reason) < ($0.value.count, $1.key.destination, $1.key.reason)
    }
    let lines = kinds.map { kind, holds -> Markup in
      let names = holds.map(\.host)
      let cause: Markup =
        kind.isGate
        ? ": \(Markup.words("r_" + kind.reason, HoldMessage(destination: kind.destination, reason: kind.reason).cause.text))"
        : holds.compactMap(\.hold.by?.user).first.map { ", \(Markup.words("by", "by {0}", $0))" } ?? ""
      let isTarget = Pause.Target(fleet: kind.destination) != nil
      let act: Markup =
        mayAsk && isTarget
        ? Markup.link(
          "/answer",
          [("action", "resume"), ("target", kind.destination)]
            + Answer.Held(isGate: kind.isGate, reason: kind.reason).fields,
          kind.isGate ? .words("tryNow", "Try now") : .words("resume", "Resume"), button: true) : ""
      return """
        <span>\(kind.isGate ? Markup.words("closed", "{0} on hold", kind.destination)
          : .words("paused", "{0} paused", kind.destination)) \(Self.places(names, holds.count))\(cause)</span> \(act)
        """
    }
    return Self.list("holds", "held", "On hold", lines)
  }

  /// `on 12 hosts: a, b, c, …`
  static func places(_ names: [String], _ count: some BinaryInteger) -> Markup {
    let shown = names.prefix(4).joined(separator: ", ") + (count > 4 ? ", …" : "")
    return count == 1
      ? .words("f_onOne", "on {0}", shown) : .words("f_onHosts", "on {0} hosts ({1})", Markup.grouped(count), shown)
  }

  // MARK: figures

  /// The jobs of all hosts in five words, with the exact states behind them. A tile leads to its jobs.
  private var phases: Markup {
    let tiles = JobPhase.allCases.map { phase -> Markup in
      let count = hosts.map { $0.count(phase) }.saturatingSum
      let style =
        count > 0 && phase == .needsYou
        ? " s-awaiting-confirmation" : count > 0 && phase == .stopped ? " s-aborted" : ""
      let exact = JobState.allCases.filter { $0.phase == phase && sum($0) > 0 }.map { state -> Markup in
        "\(Markup.words(state.rawValue, Self.state(state.rawValue))): \(Markup.grouped(sum(state)))"
      }
      return """
        <a class="card" data-phase="\(phase.rawValue)" href="/jobs?state=\(phase.rawValue)">\
        <span class="big\(style)">\(Markup.grouped(count))</span>\(Markup.words("p_" + phase.rawValue, phase.word))\
        <small>\(Self.joined(exact, ", "))</small></a>
        """
    }
    return """
      <section id="phases" class="tiles" aria-label="Jobs by state" data-label="byState" data-live>\(tiles)</section>
      """
  }

  // MARK: what waits

  private func waiting(_ mayAsk: Bool) -> Markup {
    let order = FleetGroup.waiting
    let sorted = groups.enumerated().sorted { first, second in
      let (a, b) = (
        order.firstIndex(of: first.element.key.state) ?? 9, order.firstIndex(of: second.element.key.state) ?? 9
      )
      return (a, first.offset) < (b, second.offset)
    }.map(\.element)
    let lines = Self.fair(sorted).prefix(Self.most).map { "<li>\(line($0, mayAsk))</li>" as Markup }
    let rest: Markup =
      sorted.count > Self.most
      ? """
      <p class="soft">\(Markup.words("f_moreKinds", "{0} more kinds: narrow them down under Jobs.", Markup.grouped(sorted.count - Self.most)))</p>
      """ : ""
    let none: Markup = sorted.isEmpty ? "<p class=\"soft\">\(Markup.words("f_noneWaits", "Nothing waits."))</p>" : ""
    return """
      <section id="groups" aria-labelledby="groups-t" data-live><h2 id="groups-t">\(Markup.words("f_waits", "What waits, by destination and reason"))</h2>\
      <ul>\(Array(lines))</ul>\(rest)\(none)</section>
      """
  }

  /// Returns the same groups; those of a role that has very many come last, so that no host fills the list.
  private static func fair(_ groups: [FleetGroup]) -> [FleetGroup] {
    var seen: [String: Int] = [:]
    var (first, last): ([FleetGroup], [FleetGroup]) = ([], [])
    for group in groups {
      if let role = group.role {
        seen[role, default: 0] += 1
        if seen[role, default: 0] > mostOfRole {
          last.append(group)
          continue
        }
      }
      first.append(group)
    }
    return first + last
  }

  private func line(_ group: FleetGroup, _ mayAsk: Bool) -> Markup {
    let jobs = Markup.grouped(group.jobs)
    let destination: Markup = group.key.destination.map { " · \($0)" } ?? ""
    let silent: Markup =
      group.silentHosts > 0
      ? " · <em>\(Markup.words("f_groupSilent", "{0} of the hosts not heard of", Markup.grouped(group.silentHosts)))</em>"
      : ""
    let reason: Markup = group.shown.isEmpty ? Markup.words("noReason", "no reason") : .said(group.shown, group.said)
    var buttons = [
      Markup.link("/jobs", [("group", group.firstByLedger)], .words("showGroup", "Show {0}", jobs), button: true)
    ]
    if mayAsk {
      let retry = group.key.state == JobState.awaitingConfirmation.rawValue ? "confirm" : "retry"
      for (action, key, label) in [(retry, "retryGroup", "Retry {0}"), ("cancel", "cancelGroup", "Cancel {0}…")] {
        guard action != "cancel" || group.key.state != JobState.aborted.rawValue else { continue }
        // for as many jobs as the hosts allow
        guard let allowed = group.allowed[action], allowed > 0 else { continue }
        buttons.append(
          Markup.link(
            "/answer", [("action", action), ("group", group.firstByLedger), ("digest", group.digest.description)],
            .words(key, label, Markup.grouped(allowed)), button: true))
      }
    }
    return """
      <span><strong class="s-\(group.key.state)">\(jobs) \(Markup.words(group.key.state, Self.state(group.key.state)))</strong> \
      · \(Markup.words(group.key.step, group.key.step))\(destination) \(Self.places(group.someHosts, group.hosts))\(silent): \(reason)</span> \
      <span class="acts">\(buttons)</span>
      """
  }

  /// A state in the page's English.
  static func state(_ state: String) -> String {
    switch JobState(rawValue: state) {
    case .awaitingConfirmation: "needs an answer"
    case .awaitingCredentials: "waits for a key"
    case .awaitingNetwork: "waits for the network"
    case .deferred: "tried again later"
    case .active: "in flight"
    case .queued, .registered, .skipped, .aborted, .cancelled, .discarded, nil: state
    }
  }

  // MARK: what was asked

  private var asked: Markup {
    let lines = requests.map { asked, progress -> Markup in
      """
      <span>\(Markup.link("/request", [("id", asked.request.batch)], "\(Markup.words("f_" + asked.action, asked.action)) \(asked.meant)")) \
      \(Markup.words("by", "by {0}", asked.by)), \(Markup.time(asked.at))</span> <span>\(RequestPage.words(progress))</span>
      """
    }
    return Self.list("requests", "f_requests", "What was asked", lines)
  }

  // MARK: hosts

  /// The phases that the table of hosts counts: those in which there is something to do.
  private static let columns = JobPhase.allCases.filter { $0 != .done }

  private func hostTable(_ mayAsk: Bool) -> Markup {
    let rows = hosts.map { host -> Markup in
      let state: Markup =
        host.isSilent
        ? "<span class=\"s-aborted\">\(Markup.words("f_isSilent", "silent"))</span>"
        : host.isTroubled
          ? "<span class=\"s-deferred\">\(Markup.words("f_isTroubled", "trouble"))</span>"
          : "<span class=\"s-registered\">\(Markup.words("f_isWell", "well"))</span>"
      let numbers = Self.columns.map { "<td class=\"nr\">\(Markup.grouped(host.count($0)))</td>" as Markup }
      return """
        <tr><th scope="row">\(Markup.link("/jobs", [("host", host.ledger)], "\(host.name)"))</th><td>\(state)</td>\
        <td class="when">\(Markup.time(host.seenAt))</td><td class="nr">\(Markup.grouped(host.lag))</td>\(numbers)\
        <td class="nr">\(host.oldestAge.map { Markup.span($0) } ?? "")</td><td>\(host.version)</td></tr>
        """
    }
    let heads: [(String, String)] =
      [
        ("f_host", "Host"), ("state", "State"), ("f_heard", "Last heard"), ("f_lag", "Events behind"),
      ] + Self.columns.map { ("p_" + $0.rawValue, $0.word) } + [("oldest", "Oldest waits"), ("f_version", "Version")]
    let pause: Markup =
      mayAsk
      ? "<p>\(Markup.link("/answer", [("action", "pause"), ("target", "all")], .words("f_pauseAll", "Pause all hosts…"), button: true))</p>"
      : ""
    return """
      <section id="hosts" aria-labelledby="hosts-t" data-live><h2 id="hosts-t">\(Markup.words("f_hosts", "Hosts"))</h2>\(pause)\
      <div class="scroll" role="region" aria-label="The list of hosts" data-label="f_hostList" tabindex="0"><table id="host-table">\
      <thead><tr>\(heads.map { "<th scope=\"col\">\(Markup.words($0.0, $0.1))</th>" as Markup })</tr></thead>\
      <tbody>\(rows)</tbody></table></div></section>
      """
  }
}
