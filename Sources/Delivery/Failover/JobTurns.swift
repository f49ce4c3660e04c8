import Jobs

/// Lets what concerns one job's records happen one after the other. Different jobs do not wait for each other.
actor JobTurns {
  private var waiting: [JobID: [CheckedContinuation<Void, Never>]] = [:]

  /// Runs the body when no other body for the same job runs.
  nonisolated func run<Value: Sendable>(_ id: JobID, _ body: () async throws -> Value) async throws -> Value {
    await begin(id)
    do {
      let value = try await body()
      await end(id)
      return value
    } catch {
      await end(id)
      throw error
    }
  }

  private func begin(_ id: JobID) async {
    guard waiting[id] != nil else {
      waiting[id] = []
      return
    }
    await withCheckedContinuation { waiting[id]?.append($0) }
  }

  private func end(_ id: JobID) {
    guard var others = waiting[id], !others.isEmpty else {
      waiting[id] = nil
      return
    }
    let next = others.removeFirst()
    waiting[id] = others
    next.resume()
  }
}
