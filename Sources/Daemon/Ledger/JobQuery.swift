import Jobs
import SQLite

/// A search for jobs as SQL on `job`.
struct JobQuery {
  private var terms: [String] = []
  private(set) var arguments: [(any Bindable)?] = []
  /// True if an index finds the rows. Otherwise all rows in the range are read.
  private(set) var isIndexed = false

  /// The parameters are ``arguments`` and the first and the last number of a range.
  var condition: String { "WHERE " + (terms + ["job.number BETWEEN ? AND ?"]).joined(separator: " AND ") }

  private mutating func add(_ term: String, _ values: [(any Bindable)?]) {
    terms.append(term)
    arguments += values
  }

  /// A search by the exact name of a file, in tables that are joined as ``JobRow/select`` does.
  init(named name: FileName, spool: String?, path: [UInt8]?) {
    add("ticket.name = ?", [name.bytes])
    if let spool { add("job.spool = ?", [spool]) }
    if let path { add("ticket.path IS ?", [path.isEmpty ? nil : path]) }
  }

  init(_ filter: JobFilter) {
    if !filter.states.isEmpty {
      let names = filter.states.map(\.rawValue).sorted()
      if filter.states.allSatisfy(\.isNoticed) {
        // So a list of questions does not read a million finished jobs.
        add("job.noticed IN (\(names.marks))", names)
        isIndexed = true
      } else {
        add("job.state IN (\(names.marks))", names)
        if filter.states.isSubset(of: [.queued, .active]) {
          terms.append(Self.isUnfinished)
          isIndexed = true
        }
      }
    }
    if let step = filter.step { add("job.step = ?", [step.rawValue]) }
    if let spool = filter.spool { add("job.spool = ?", [spool]) }
    if let name = filter.name { add("lower(\(Self.name)) GLOB lower(?)", [TextPattern.name(name)]) }
    if let error = filter.error {
      add(
        """
        job.number IN (SELECT job FROM trouble WHERE failure_kind = lower(?) OR lower(failure_code) = lower(?) \
        OR lower(iif(json_valid(failure_words), json_extract(failure_words, '$.text'), failure_words)) GLOB lower(?))
        """,
        [error, error, TextPattern.words(error)])
    }
    if let since = filter.since { add("job.created_at >= ?", [since.microseconds]) }
    if let until = filter.until { add("job.created_at < ?", [until.microseconds]) }
  }

  private static let name = "(SELECT CAST(ticket.name AS TEXT) FROM ticket WHERE ticket.job = job.number)"

  /// Keeps a list of unfinished jobs from reading a million finished ones.
  private static let isUnfinished =
    "job.number IN (SELECT number FROM job WHERE \(LedgerSchema.Condition.unfinished))"
}

/// Patterns for SQLite's GLOB. Pattern and text are compared by `lower`, so the case of A to Z does not matter.
enum TextPattern {
  /// Matches nothing: a class that does not end.
  private static let none = "["

  /// Returns a pattern for names: a shell pattern as it is; for a text without wildcards, any name that contains it.
  static func name(_ text: String) -> String {
    if text.utf8.contains(0) { return none }  // GLOB takes a NUL for the end
    let hasWildcard = text.contains { "*?".contains($0) } || text.contains("[") && text.contains("]")
    // The shell's `!` is GLOB's `^`.
    return hasWildcard ? text.replacing("[!", with: "[^") : "*" + literal(text) + "*"
  }

  /// Returns a pattern for texts that contain this one. In it, `…` and `...` stand for any text.
  static func words(_ text: String) -> String {
    text.utf8.contains(0) ? none : "*" + literal(text).replacing("...", with: "…").replacing("…", with: "*") + "*"
  }

  /// Returns the text with each wildcard as a class of its own.
  private static func literal(_ text: String) -> String {
    text.unicodeScalars.map { "*?[".unicodeScalars.contains($0) ? "[\($0)]" : String($0) }.joined()
  }
}
