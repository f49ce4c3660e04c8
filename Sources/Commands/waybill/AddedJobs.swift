import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

/// Follows the jobs of files that were added.
struct AddedJobs {
  /// The maximum time that a restarting daemon may be away, or that a claimed file may be without its job.
  private static let patience: Duration = .seconds(10)

  let client: ControlClient
  let spool: Directory
  let signals: CaughtSignals
  /// The time at which to stop waiting; nil for none.
  let deadline: ContinuousClock.Instant?

  /// Returns when the file's job is registered, or cannot be without somebody's action. In the second case the file gets an
  /// error.
  func waitFor(_ file: inout AddedFile) async throws {
    guard let dropped = file.dropped else { return }
    var progress = AddProgress(client: client)
    defer { progress.clear() }
    let path = Array((spool.path + "/").utf8) + file.nameBytes
    var last: JobDetailMessage?
    var missingSince: ContinuousClock.Instant?
    var pause: Duration = .milliseconds(20)
    while true {
      if let signal = signals.next() { signals.letThrough(signal) }
      if let deadline, deadline <= .now {
        file.job = last?.job
        let state = last.map { "job \($0.job.job) is \($0.job.state.rawValue)" } ?? "it has not been taken yet"
        file.error = "\(file.fileName.shown) is not registered in time: \(state), and goes on by itself"
        return
      }
      await progress.show(file.fileName, last, path: path) { [file] in stillWaits(dropped, file.nameBytes) }
      do throws(ControlError) {
        let detail = try await client.job(.id(dropped.id))
        guard Self.isJob(detail.job, of: file, dropped) else {
          file.error =
            "job \(detail.job.job) has the identity that \(file.fileName.shown) asks for, and is another file: who dropped it "
            + "there knew the identity. \(file.fileName.shown) goes on by itself. See: waybill list, and waybill status"
          return
        }
        last = detail
        missingSince = nil
        if let end = Self.end(detail) {
          file.job = detail.job
          file.error = end
          return
        }
        if detail.job.state == .registered || detail.job.state == .skipped {
          file.job = detail.job
          return
        }
      } catch .problem(let problem) where problem.status == 404 {
        // Before the claim this is normal; after it the job appears in a moment.
        if stillWaits(dropped, file.nameBytes) {
          missingSince = nil
        } else if hasLasted(&missingSince) {
          file.error =
            "\(file.fileName.shown) was taken from \(spool.path), and after \(Self.patience.wholeSeconds) s there is "
            + "no job \(dropped.id) for it yet. See: waybill explain \(dropped.id), and waybill status"
          return
        }
      } catch {
        guard case .noDaemon = error, !hasLasted(&missingSince) else { throw CommandFailure(error) }
      }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(500), max(.milliseconds(1), (deadline ?? .now + .seconds(1)) - .now))
    }
  }

  /// The words about a job that has ended in another way, or asks a question; nil for one that continues or is registered.
  private static func end(_ detail: JobDetailMessage) -> String? {
    let job = detail.job
    let name = DisplayText.escape(job.name)
    switch job.state {
    case .awaitingConfirmation:
      let question = DisplayText.escape(job.question ?? "")
      return "job \(job.job): \(question) Answer with: waybill confirm \(job.job), or: waybill cancel \(job.job)"
    case .aborted:
      let reason = job.error.map { " (\(DisplayText.escape($0.message)))" } ?? ""
      return
        "job \(job.job): \(job.step.noun) of \(name) was aborted\(reason). Try again with: waybill retry \(job.job)"
    case .cancelled, .discarded:
      let by =
        detail.history.last { $0.event == job.stateWord }?.by.map { " by " + Words.user($0.user) } ?? ""
      let remedy = job.remedy.map { ". To go on: \($0)" } ?? ""
      return "job \(job.job): \(job.step.noun) of \(name) was \(job.stateWord)\(by)\(remedy)"
    case .queued, .active, .deferred, .awaitingCredentials, .awaitingNetwork, .registered, .skipped:
      return nil
    }
  }

  /// True if a job is that of the file that was added: anybody may drop a file that asks for the same identity.
  private static func isJob(_ job: JobMessage, of file: AddedFile, _ dropped: SpoolDrop.Dropped) -> Bool {
    job.name == file.fileName.text && job.size == dropped.facts.size && job.spool == file.spool
  }

  /// True if the file is still in the spool under the name that it was given.
  private func stillWaits(_ dropped: SpoolDrop.Dropped, _ name: [UInt8]) -> Bool {
    do throws(FileError) {
      return try spool.facts(of: name).isSameFile(as: dropped.facts)
    } catch {
      return false
    }
  }

  private func hasLasted(_ since: inout ContinuousClock.Instant?) -> Bool {
    let begin = since ?? .now
    since = begin
    return .now - begin > Self.patience
  }
}
