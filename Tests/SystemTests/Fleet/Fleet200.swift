@testable import Harness

/// Rows of hosts and jobs as agents write them, for tests that need many and no daemons.
enum Fleet200 {
  static func ledger(_ host: Int) -> String {
    let digits = String(host)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// A host whose rows belong to the role "one".
  static func host(
    _ number: Int, name: String? = nil, allow: String = "cancel,confirm,pause,retry"
  ) -> String {
    """
    INSERT INTO waybill.host (ledger, owner, name, generation, heartbeat, allow, version, counts, session, seen_at)
    VALUES ('\(ledger(number))', 'one', \(quoted(name ?? "scanner-\(number)")), 1, '5min', '\(allow)', '1.0',
      '{"awaiting-confirmation": 1, "registered": 1000}', 's', now() - interval '1 s');
    """
  }

  /// A job with a question.
  static func job(_ host: Int, _ number: Int, name: String, reason: String) -> String {
    """
    INSERT INTO waybill.job (ledger, number, owner, id, revision, spool, name, size, step, state, destination, attempt, question,
      error_kind, error_status, error_message, reason, created_at, updated_at)
    VALUES ('\(ledger(host))', \(number), 'one', gen_random_uuid(), 3, 'documents', \(quoted(name)), 100, 'register',
      'awaiting-confirmation', 'backend.main', 1, \(quoted("Registration of \(name) failed: \(reason). Retry?")), 'unavailable', 422,
      \(quoted(reason)), \(quoted(reason)), now(), now());
    """
  }

  static func quoted(_ text: String) -> String {
    "E'" + text.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
  }
}
