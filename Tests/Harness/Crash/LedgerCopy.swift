import ChildProcesses
import Foundation

/// The ledger as a crash left it, read by a program that shares nothing with the daemon, from a copy: reading the files
/// themselves would recover them.
enum LedgerCopy {
  struct Row: Decodable, Sendable {
    var id: String
    var name: String
    var state: String
  }

  private static let script = """
    import json, os, shutil, sqlite3, sys, tempfile, uuid
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(sys.argv[1]):
            if name.startswith("ledger.sqlite") and not name.endswith("-shm"):
                shutil.copy(os.path.join(sys.argv[1], name), folder)
        path = os.path.join(folder, "ledger.sqlite")
        rows = []
        if os.path.exists(path):
            ledger = sqlite3.connect(path)
            if ledger.execute("SELECT 1 FROM sqlite_master WHERE name = 'job_state'").fetchone():
                # one without a row of its own is what its facts say; that it is in flight, only the daemon knew
                rows = ledger.execute(\"\"\"SELECT id, name, coalesce(job_state.state, iif(registration.job IS NULL,
                    'queued', 'registered')) FROM job LEFT JOIN job_state ON job_state.job = number
                    LEFT JOIN registration ON registration.job = number\"\"\").fetchall()
    print(json.dumps([
        {"id": str(uuid.UUID(bytes=id)), "name": bytes(name).decode(), "state": state} for id, name, state in rows]))
    """

  /// Every job.
  static func rows(of state: URL) async throws -> [Row] {
    let text = try await Command.require([try await Products.python.value, "-c", script, state.path])
    return try JSONDecoder().decode([Row].self, from: Data(text.utf8))
  }
}
