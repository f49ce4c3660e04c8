public import ControlAPI
import Jobs

/// The local daemon, as the mirror reads it.
public struct DaemonSource: MirrorSource {
  let client: ControlClient

  /// Creates a source from a client of the daemon.
  public init(_ client: ControlClient) { self.client = client }

  /// Asks the daemon (`GET /v1/changes`).
  public func changes(_ query: ChangesQuery) async throws -> ChangesMessage { try await client.changes(query) }

  /// Reads a page of the daemon's jobs.
  public func jobs(after number: Int64) async throws -> (jobs: [JobMessage], isLast: Bool) {
    var query = ListQuery(limit: ListQuery.limits.upperBound)
    if number > 0 { query.after = PageCursor(after: JobNumber(rawValue: number)) }
    let page = try await client.jobs(query)
    return (page.jobs, page.next == nil)
  }
}
