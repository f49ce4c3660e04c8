import ControlAPI
import PostgreSQL

/// The outcome of a request so far, host by host.
struct RequestPage: Sendable {
  var asked: FleetAsked
  var progress: FleetRequest.Progress

  /// Reads the request; nil if there is none.
  init?(_ session: PostgreSQLSession, _ batch: String) throws {
    guard let asked = try FleetAsked.named(session, batch) else { return nil }
    self.asked = asked
    progress = try asked.request.progress(session)
  }

  /// Returns the page's content.
  var markup: Markup {
    let refusals = progress.refusals.map { "<li>\(Markup.said($0, nil))</li>" as Markup }
    let isDone = progress.open == 0
    return """
      <section id="request" aria-labelledby="request-t" data-live\(isDone ? "" : " data-soon")>\
      <h2 id="request-t">\(Markup.words("f_" + asked.action, asked.action)) \(asked.meant)</h2>\
      <p id="verdict" role="status" class="\(isDone && progress.outcomes["done"] == progress.total ? "good" : "warn")">\(Self.words(progress))</p>\
      <p>\(Markup.words("f_askedBy", "asked by {0}", asked.by)) (\(asked.role)), \(Markup.time(asked.at))</p>\
      <ul class="lines">\(refusals)</ul></section>
      <p><a href="/">\(Markup.words("f_overview", "Overview"))</a></p>
      """
  }

  /// The outcome in words.
  static func words(_ progress: FleetRequest.Progress) -> Markup {
    var words = Markup.words(
      "f_doneOf", "{0} of {1} done", Markup.grouped(progress.outcomes["done"] ?? 0), Markup.grouped(progress.total))
    for (outcome, english) in [
      ("changed", "{0} changed meanwhile"), ("refused", "{0} refused"), ("expired", "{0} expired"),
      ("unknown", "{0} unknown there"), (FleetRequest.Progress.forgotten, "{0} of hosts that were forgotten"),
    ] {
      if let count = progress.outcomes[outcome] {
        words += ", \(Markup.words("f_o_" + outcome, english, Markup.grouped(count)))"
      }
    }
    guard progress.open > 0 else { return words }
    guard !progress.silent.isEmpty else {
      words += ", \(Markup.words("f_open", "{0} not yet carried out", Markup.grouped(progress.open)))"
      return words
    }
    let silent = progress.silent.sorted { $0.key < $1.key }
    for (host, time) in silent.prefix(5) {
      words += ", \(Markup.words("f_notHeardOf", "{0} not heard of since", host)) \(Markup.time(time))"
    }
    if silent.count > 5 {
      words += ", \(Markup.words("f_moreSilent", "{0} more hosts not heard of", Markup.grouped(silent.count - 5)))"
    }
    words +=
      ": \(Markup.words("f_whenBack", "carried out when it is back, until")) \(Markup.time(progress.until ?? ""))"
    return words
  }
}
