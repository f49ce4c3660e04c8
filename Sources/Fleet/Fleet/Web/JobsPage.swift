import ControlAPI
import Jobs
import Messages
import PostgreSQL

/// A page of jobs.
struct JobsPage: Sendable {
  /// The filter and the position in the address.
  struct Query: Hashable, Sendable {
    var fields: FormFields
    var filter = FleetFilter()
    var after: FleetJobs.Cursor?

    /// The jobs that a person should look at.
    static let needs = states(JobPhase.needsYou.rawValue) + [JobState.aborted.rawValue]

    /// Returns the states that a word means: those of a phase, or an exact one.
    static func states(_ word: String) -> [String] {
      if let phase = JobPhase(rawValue: word) {
        return JobState.allCases.filter { $0.phase == phase }.map(\.rawValue)
      }
      return JobState(rawValue: word).map { [$0.rawValue] } ?? []
    }

    static let names = ["host", "state", "spool", "destination", "name", "error"]

    init(_ fields: FormFields) {
      self.fields = fields
      filter.host = fields["host"]
      // what needs a person, unless something else is asked for
      let isNarrowed = fields["group"] != nil || fields["state"] != nil
      filter.states =
        isNarrowed
        ? (fields["state"] ?? "").split(separator: ",").flatMap { Self.states(String($0)) } : Self.needs
      if fields["state"] == "all" { filter.states = [] }
      filter.spool = fields["spool"]
      filter.destination = fields["destination"]
      filter.name = fields["name"]
      filter.error = fields["error"]
      if let text = fields["after"] {
        let parts = text.split(separator: "/", maxSplits: 2).map(String.init)
        if parts.count == 3, let number = Int64(parts[1]) {
          after = FleetJobs.Cursor(host: parts[2], ledger: parts[0], number: number)
        }
      }
    }
  }

  static let limit = 100

  var query: Query
  var found: FleetJobs
  /// The group that the page is limited to; nil for none, or for one that is gone.
  var group: FleetGroup?

  /// Reads what is shown.
  init(_ session: PostgreSQLSession, _ query: Query) throws {
    self.query = query
    var filter = query.filter
    if let name = query.fields["group"] {
      filter.group = try FleetView.group(session, of: name)
      if let key = filter.group, FleetGroup.waiting.contains(key.state) {
        group = try FleetView.groups(session, filter).first
      } else if filter.group == nil {
        filter.jobs = [""]
      }
    }
    found = try FleetView.jobs(session, filter, after: query.after, limit: Self.limit)
  }

  /// Returns the page's content.
  func markup(for visitor: Visitor) -> Markup {
    """
    <section aria-labelledby="jobs-t"><h2 id="jobs-t">\(Markup.words("jobs", "Jobs"))</h2>
    \(form)
    \(narrowed)
    </section>
    <div id="list" data-live>
    <div class="scroll" role="region" aria-label="The list of jobs" data-label="jobList" tabindex="0"><table id="jobs">\
    <thead><tr>\(heads)</tr></thead><tbody>\(found.jobs.map { row($0, visitor) })</tbody></table></div>
    \(notes)
    </div>
    """
  }

  private var heads: [Markup] {
    [
      ("job", "Job"), ("file", "File"), ("state", "State"), ("what", "What happened"), ("size", "Size"),
      ("changed", "Changed"), ("act", "Act"),
    ].map { "<th scope=\"col\">\(Markup.words($0.0, $0.1))</th>" }
  }

  private var form: Markup {
    let state = query.fields["state"] ?? ""
    let choices =
      [("", "needs", "needs you, or was aborted")]
      + JobPhase.allCases.map { ($0.rawValue, "p_" + $0.rawValue, $0.word) } + [("all", "all", "all")]
      + JobState.allCases.map { ($0.rawValue, $0.rawValue, Overview.state($0.rawValue)) }
    let options = choices.map { value, key, english -> Markup in
      "<option value=\"\(value)\"\(value == state ? " selected" : "") data-t=\"\(key)\">\(english)</option>"
    }
    let inputs = [
      ("host", "f_host", "Host"), ("destination", "f_destination", "Destination"), ("spool", "spool", "Spool"),
      ("name", "name", "Name"), ("error", "reason", "Reason"),
    ].map { name, key, english -> Markup in
      """
      <label>\(Markup.words(key, english)) <input name="\(name)" type="search" autocomplete="off" value="\(query.fields[name] ?? "")"></label>
      """
    }
    return """
      <form id="filter" role="search" action="/jobs" aria-label="Search for jobs" data-label="searchJobs">
      <label>\(Markup.words("show", "Show")) <select name="state">\(options)</select></label>
      \(inputs)
      <button type="submit">\(Markup.words("search", "Search"))</button>
      </form>
      """
  }

  private var narrowed: Markup {
    guard query.fields["group"] != nil else { return "" }
    let words: Markup =
      group.map { "\(Markup.grouped($0.jobs)) · \(Markup.said($0.shown, $0.said))" }
      ?? Markup.words("f_groupGone", "This group has been answered.")
    return "<p id=\"like\"><span>\(words)</span> <a href=\"/jobs\">\(Markup.words("notOnly", "All others too"))</a></p>"
  }

  private var notes: Markup {
    var notes = Markup.none
    if found.jobs.isEmpty { notes += "<p role=\"status\">\(Markup.words("f_noJobs", "No jobs."))</p>" }
    if found.unreadable > 0 {
      notes += """
        <p>\(Markup.words("f_unreadable", "{0} jobs cannot be read and are not shown ({1}): they are of a newer version of Waybill, or their rows are damaged.", Markup.grouped(found.unreadable), found.hostsOfUnreadable.joined(separator: ", ")))</p>
        """
    }
    if let next = found.next {
      let kept = (Query.names + ["group"]).compactMap { name in query.fields[name].map { (name, $0) } }
      notes += """
        <p id="pages">\(Markup.link("/jobs", kept + [("after", "\(next.ledger)/\(next.number)/\(next.host)")], .words("next", "Next page"), button: true))</p>
        """
    }
    return notes
  }

  private func row(_ job: FleetJob, _ visitor: Visitor) -> Markup {
    let message = job.job
    let asOf: Markup =
      job.isOfSilentHost
      ? " <em>\(Markup.words("f_asOf", "as of")) \(Markup.time(job.hostSeenAt.timestamp.rfc3339))</em>" : ""
    return """
      <tr><td class="nr">\(job.shown)</td>\
      <td class="name">\(Markup.link("/job", [("job", job.name)], "\(message.name.isEmpty ? "–" : message.name)"))</td>\
      <td class="state s-\(message.state.rawValue)">\(Markup.words(message.stateWord, Overview.state(message.stateWord)))\(asOf)</td>\
      <td class="what">\(JobPage.happened(message))</td><td class="size">\(Markup.bytes(message.size))</td>\
      <td class="when">\(Markup.time(message.updatedAt.timestamp.rfc3339))</td>\
      <td class="acts">\(JobPage.acts(job, visitor))</td></tr>
      """
  }
}
