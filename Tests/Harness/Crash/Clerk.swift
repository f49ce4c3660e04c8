import ChildProcesses
import Foundation

/// An operator who wants each file to come to its fate: looks at the jobs and asks for what is still to be done, again
/// where an answer was lost.
struct Clerk {
  let daemon: Daemon

  /// One look. True once every file has come to its fate and nothing is owed.
  func settles(_ books: Books) async throws -> Bool {
    let jobs = try await daemon.jobs()
    var isSettled = true
    for entry in books.entries {
      let jobs = jobs.filter { $0.name.string == entry.name }
      if jobs.isEmpty { isSettled = false }
      for job in jobs where !(try await hasSettled(job, entry.fate)) { isSettled = false }
    }
    guard isSettled else { return false }
    return try await daemon.cleanups() == 0
  }

  private func hasSettled(_ job: JSONValue, _ fate: Books.Fate) async throws -> Bool {
    let state = job.state.string ?? ""
    if state == fate.state {
      if state == "cancelled" { return job.remote != "pending" }
      return !job.disposed_at.isNull
    }
    switch fate {
    case .any: return !["queued", "active", "deferred"].contains(state)
    case .registered:
      if state.hasPrefix("awaiting") || state == "aborted" { try await ask(job, "retry") }
    case .cancelled, .removed, .discarded, .released:
      if state == "awaiting-confirmation" {
        try await ask(job, "cancel", ["reason": "a test", "remove": .bool(fate == .removed)])
      } else if state == "cancelled" {
        if fate == .discarded { try await ask(job, "discard") }
        if case .released(let folder) = fate { try await ask(job, "release", ["to": .string(folder.path)]) }
      }
    }
    return false
  }

  /// Asks for something about a job. A refusal is no error: it may have been done already.
  @discardableResult
  func ask(_ job: JSONValue, _ command: String, _ body: JSONValue = [:]) async throws -> HTTPAnswer {
    try await daemon.control("POST", "/v1/jobs/\(job.job.int ?? 0)/\(command)", body: body.description)
  }

  func require(_ path: String, _ body: JSONValue) async throws {
    let answer = try await daemon.control("POST", path, body: body.description)
    guard answer.status == 200 else { throw Missing("POST \(path) was answered \(answer)") }
  }
}
