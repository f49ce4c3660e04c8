import ControlAPI
import Messages

/// The forms in which statements read the fleet's tables. A host writes its own rows, so everything that is read is bounded.
enum FleetView {
  /// True for a host without a heartbeat for three intervals, or with times that cannot be computed with.
  static let silent = """
    (CASE WHEN host.heartbeat > interval '0' AND host.heartbeat <= interval '1 day'
      AND host.seen_at BETWEEN '2000-01-01T00:00:00Z' AND now() + interval '1 day'
    THEN host.seen_at < now() - 3 * host.heartbeat ELSE true END)
    """

  /// The most hosts of one role that are read. A role normally has one or a few, but could write any number.
  static let mostOfRole = 100
  /// The most bytes of the document of a job or an event.
  static let longestDocument = 1 << 17

  static func text(_ column: String) -> String { "left(\(column), 10000)" }

  static func name(_ column: String) -> String { "left(\(column), 200)" }

  static func time(_ column: String) -> String {
    #"to_char(\#(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#
  }

  /// True for a time with which can be computed, and which messages can have.
  static func isUsual(_ column: String) -> String { "\(column) BETWEEN '2000-01-01Z' AND '9999-01-01Z'" }

  /// True for an event of this very job, and not of an earlier one: a ledger that was lost gives its numbers again.
  static let isOfJob = """
    (event.generation = host.generation OR (event.doc ->> 'at') COLLATE "C" >= (job.doc ->> 'created_at') COLLATE "C")
    """

  /// The text of a document with more members, which replace those that its host has written; NULL if it is none, or too large.
  static func document(_ column: String, with members: String, most: Int = longestDocument) -> String {
    """
    (SELECT CASE WHEN octet_length(written) <= \(most) THEN written END FROM (
      SELECT CASE WHEN jsonb_typeof(\(column)) = 'object' THEN (\(column) || jsonb_build_object(\(members)))::text END
        AS written OFFSET 0) AS document)
    """
  }

  /// Reads the message in the text of a document; nil if it cannot be shown.
  static func message<Value: JSONMessage>(_ type: Value.Type, _ text: String?) -> Value? {
    guard let text else { return nil }
    // Ignored: the caller leaves out what cannot be read.
    return try? Value(json: JSONReader.value(Array(text.utf8)))
  }
}
