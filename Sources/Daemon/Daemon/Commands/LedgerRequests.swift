import ControlServer
import Jobs
import Ledger

/// Keeps the records of requests in the ledger.
struct LedgerRequests: RequestMemory {
  let ledger: JobLedger

  func begin(_ request: RequestKey, fingerprint: String) async throws -> EarlierRequest {
    try await ledger.begin(request, fingerprint: fingerprint)
  }

  func end(_ request: RequestKey, _ answer: RequestAnswer) async throws { try await ledger.end(request, answer) }

  func forget(_ request: RequestKey) async throws { try await ledger.forget(request) }
}
