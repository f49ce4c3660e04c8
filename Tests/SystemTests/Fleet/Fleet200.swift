@testable import Harness

/// Rows of hosts and jobs as agents write them, for tests that need many and no daemons.
enum Fleet200 {
  static func ledger(_ host: Int) -> String {
    let digits = String(host)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  static func host(
    _ number: Int, name: String? = nil, allow: String = "cancel,confirm,retry", owner: String = "one"
  ) -> String {
    let status: JSONValue = [
      "version": "1.0", "counts": ["awaiting-confirmation": 1, "registered": 1000],
      "gates": [], "pauses": [], "problems": [], "spools": [],
    ]
    return """
      INSERT INTO waybill.host (ledger, owner, name, generation, heartbeat, allow, version, status, session, seen_at)
      VALUES ('\(ledger(number))', '\(owner)', \(quoted(name ?? "scanner-\(number)")), 1, '5min', '\(allow)', '1.0',
        \(quoted("\(status)")), 's', now() - interval '1 s');
      """
  }

  static func job(_ host: Int, _ number: Int, name: String, reason: String, owner: String = "one") -> String {
    let time: JSONValue = "2026-11-21T00:00:00.000Z"
    let doc: JSONValue = [
      "job": .number(Double(number)),
      "id": .string("00000000-0000-7000-8000-\(ledger(host * 1000 + number).suffix(12))"),
      "revision": 3, "spool": "documents", "name": .string(name), "path": .string("/srv/\(name)"), "size": 100,
      "step": "register", "state": "awaiting-confirmation", "phase": "waiting", "destination": "backend.main",
      "attempt": 1,
      "question": ["text": .string("Registration of \(name) failed: \(reason). Retry?")],
      "error": ["kind": "unavailable", "status": 422, "message": ["text": .string(reason)]],
      "created_at": time, "updated_at": time,
    ]
    return """
      INSERT INTO waybill.job (ledger, number, owner, revision, doc)
      VALUES ('\(ledger(host))', \(number), '\(owner)', 3, \(quoted("\(doc)")));
      """
  }

  static func quoted(_ text: String) -> String {
    "E'" + text.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
  }
}
