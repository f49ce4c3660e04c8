import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

struct AddedFile {
  let file: String
  let fileName: FileName
  let spool: String
  /// The file in the spool, once it is there.
  var dropped: SpoolDrop.Dropped?
  /// The job, once it has ended or asks a question.
  var job: JobMessage?
  /// The reason why it was not added, or did not end in a registration; nil if all is well.
  var error: String?

  var sentence: String {
    guard let job else { return "\(fileName.shown) added to \(DisplayText.escape(spool))" }
    return (job.state == .skipped ? Message.skipped(fileName, as: job.sameAs) : .registered(name: fileName.shown)).text
  }

  func write(into text: inout JSONText) {
    text.object { text in
      text.member("error", error)
      text.member("file", file)
      text.member("id", dropped?.id.description)
      text.member("job", value: job)
      text.member("name", fileName.text)
      text.member("spool", spool)
    }
  }
}

struct AddedJobs {
  /// The maximum time that a restarting daemon may be away, or that a claimed file may be without its job.
  private static let patience: Duration = .seconds(10)

  let client: ControlClient
  let drop: SpoolDrop

  /// Returns when the file's job is registered, or cannot be without somebody's action. In the second case the file gets an
  /// error.
  func waitFor(_ file: inout AddedFile) async throws {
    guard let dropped = file.dropped else { return }
    let name = file.fileName.shown
    // Nothing is said at first: most files are registered by then.
    var nextWords = ContinuousClock.now + .milliseconds(700)
    var said: String?
    var last: JobDetailMessage?
    var missingSince: ContinuousClock.Instant?
    var pause: Duration = .milliseconds(20)
    while true {
      if let signal = drop.signals.next() { drop.signals.letThrough(signal) }
      if nextWords <= .now {
        nextWords = .now + .seconds(1)
        let words = await words(last, file)
        if let words, words != said { Output.error("\(name): \(words)") }
        said = words ?? said
      }
      do throws(ControlError) {
        let detail = try await client.job(.id(dropped.id))
        let job = detail.job
        // Anybody may drop a file that asks for the same identity.
        guard job.name == file.fileName.text, job.size == dropped.facts.size, job.spool == file.spool else {
          file.error =
            "job \(job.job) has the identity that \(name) asks for, and is another file: who dropped it there knew the "
            + "identity. \(name) goes on by itself. See: waybill list, and waybill status"
          return
        }
        (last, missingSince) = (detail, nil)
        file.error = Self.end(detail)
        if file.error != nil || job.state == .registered || job.state == .skipped {
          file.job = job
          return
        }
      } catch .problem(let problem) where problem.status == 404 {
        // Before the claim this is normal; after it the job appears in a moment.
        if drop.isThere(file) {
          missingSince = nil
        } else if hasLasted(&missingSince) {
          file.error =
            "\(name) was taken from \(drop.spool.path), and after \(Self.patience.wholeSeconds) s there is no job "
            + "\(dropped.id) for it yet. See: waybill explain \(dropped.id), and waybill status"
          return
        }
      } catch {
        guard case .noDaemon = error, !hasLasted(&missingSince) else { throw error }
      }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(500))
    }
  }

  /// Returns what a file, or its job, waits for; nil if that is not known. Errors are ignored: the wait finds them.
  private func words(_ detail: JobDetailMessage?, _ file: AddedFile) async -> String? {
    if let job = detail?.job {
      guard let standstill = detail?.standstill else { return "job \(job.job) is \(job.state.word)" }
      let remedy = standstill.remedy.map { " (\($0))" } ?? ""
      return "job \(job.job): \(DisplayText.escape(standstill.message.text))\(remedy)"
    }
    let path = Array("\(drop.spool.path)/".utf8) + file.fileName.bytes
    // Ignored: then none is told. The reason may be an earlier file's of that name, if this one was claimed.
    let reason = try? await client.explain(ExplainQuery(path: path)).files.first?.reasons.first
    return drop.isThere(file) ? reason?.inWords : nil
  }

  /// The words about a job that has ended in another way, or asks a question; nil for one that continues or is registered.
  private static func end(_ detail: JobDetailMessage) -> String? {
    let job = detail.job
    let name = DisplayText.escape(job.name)
    switch job.state {
    case .awaitingConfirmation:
      let question = DisplayText.escape(job.question?.text ?? "")
      return "job \(job.job): \(question) Answer with: waybill confirm \(job.job), or: waybill cancel \(job.job)"
    case .aborted:
      let reason = job.error.map { " (\(DisplayText.escape($0.message.text)))" } ?? ""
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

  private func hasLasted(_ since: inout ContinuousClock.Instant?) -> Bool {
    let begin = since ?? .now
    since = begin
    return .now - begin > Self.patience
  }
}

extension Explanation.Reason {
  /// The reason with what to do about it.
  var inWords: String { DisplayText.escape(detail.text) + (remedy.map { " (\(DisplayText.escape($0.text)))" } ?? "") }
}
