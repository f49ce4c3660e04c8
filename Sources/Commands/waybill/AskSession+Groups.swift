import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

/// Questions of the same kind, answered together.
extension AskSession {
  /// Asks for one answer to all questions of this kind; returns nil if the person goes back to this question.
  func askAll(like job: JobMessage) async throws -> Turn? {
    var filter = questions.filter
    filter.like = JobNumber(rawValue: job.job)
    if let host = job.host {
      // there the group has a number of its own, which it has on all hosts
      filter.hosts = [host]
      let own = try await calling { [client, filter] () async throws(ControlError) in try await client.groups(filter) }
      filter.hosts = questions.filter.hosts
      filter.like = own.groups.first?.group.map { JobNumber(rawValue: $0) } ?? filter.like
    }
    let groups = try await calling { [client, filter] () async throws(ControlError) in try await client.groups(filter) }
      .groups
    guard let group = groups.first, let number = group.group, let digest = group.digest else {
      person.write("There is no such question any more.\n")
      return .next
    }
    filter.like = JobNumber(rawValue: number)
    let selection = JobSelection.group(filter, digest)
    let jobs = Words.count(group.count, "job", "jobs")
    let first = (group.host.map { DisplayText.escape($0) + ":" } ?? "") + String(group.first)
    let lines = Folded.lines(
      "\(jobs): \(DisplayText.escape(group.reason.text)). The first: waybill show \(first)",
      width: terminal.columns ?? 80)
    let prompt =
      "\n" + lines.map { terminal.styled($0, .attention) }.joined(separator: "\n")
      + "\nr)etry all, c)ancel all, b)ack: "
    while true {
      switch try await key(at: prompt) {
      case .end(let end): return .end(end)
      case .key("r"), .key("R"): return try await send(.confirm(), to: selection, jobs, "retried")
      case .key("c"), .key("C"):
        switch try await person.line("Reason (Enter for none): ") {
        case .line(let bytes):
          let reason = String(decoding: bytes, as: UTF8.self).trimmed
          return try await send(
            .cancel(reason: reason.isEmpty ? nil : reason), to: selection, jobs, "cancelled")
        case .signal(let number): return ended(by: number)
        default: continue
        }
      case .key("b"), .key("B"), .key("q"), .key("Q"): return nil
      case .key: continue
      }
    }
  }

  /// Sends one answer to all questions of a kind, unless the person takes it back.
  private func send(
    _ command: JobCommand, to selection: JobSelection, _ jobs: String, _ done: String
  ) async throws -> Turn? {
    var isWanted = false
    while !isWanted {
      switch try await key(at: "\(jobs) will be \(done). s)end, u)ndo: ") {
      case .end(let end): return .end(end)
      case .key("u"), .key("U"):
        person.write("Undone: nothing was sent.\n")
        return nil
      case .key(let key): isWanted = key == "s" || key == "S" || key.isNewline
      }
    }
    let answer: BulkAnswer
    do throws(ControlError) {
      answer = try await client.carryOut(command, on: selection)
    } catch .problem(let problem) where problem.status == 409 || problem.status == 404 {
      say(problem.inWords, .attention)
      return .next
    } catch {
      throw CommandFailure(error)
    }
    let refused = Words.grouped(answer.refused)
    let others = answer.refused > 0 ? " \(refused) had changed or come meanwhile, and were left as they are." : ""
    say("\(Words.grouped(answer.done)) \(done).\(others)")
    return .next
  }
}
