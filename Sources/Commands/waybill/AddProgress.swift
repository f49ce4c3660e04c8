import CommandParts
import ControlAPI
import Glibc
import Jobs
import Linux
import Messages

/// Reports on standard error what `add --wait` waits for: on a terminal in one line that is redrawn, elsewhere in a new line at
/// each change.
struct AddProgress {
  /// The time that a job may take before anything is said; most are registered by then.
  private static let patience = Duration.milliseconds(700)
  /// The time between two looks at what a job waits for.
  private static let pause = Duration.seconds(1)

  private let client: ControlClient
  private let terminal: Terminal
  private let began = ContinuousClock.now
  private var nextLook = ContinuousClock.now + Self.patience
  private var shown: String?

  init(client: ControlClient, terminal: Terminal = .standardError) {
    self.client = client
    self.terminal = terminal
  }

  /// Looks if it is time to, and prints a change.
  ///
  /// - Parameters:
  ///   - detail: the job, once there is one.
  ///   - path: the path of the file in the spool.
  ///   - stillWaits: true if the file is still in the spool.
  mutating func show(_ name: FileName, _ detail: JobDetailMessage?, path: [UInt8], stillWaits: () -> Bool) async {
    guard ContinuousClock.now >= nextLook else { return }
    nextLook = .now + Self.pause
    // Ignored: the wait itself finds a daemon that does not answer.
    let words = try? await words(detail, path)
    // If the file was claimed meanwhile, the answer may be about an earlier file of that name, or about none.
    guard let words, detail != nil || stillWaits() else { return }
    show("\(name.shown): \(words)")
  }

  /// Removes the line before other output.
  mutating func clear() {
    guard terminal.canMove, shown != nil else { return }
    Output.prompt("\r\u{1B}[K")
    shown = nil
  }

  private mutating func show(_ text: String) {
    if terminal.canMove {
      let age = Words.age(.now - began)
      Output.prompt("\r\u{1B}[K" + TextWidth.fit("\(text) (\(age))", (terminal.columns ?? 80) - 1))
    } else if shown != text {
      Output.error(text)
    }
    shown = text
  }

  private func words(_ detail: JobDetailMessage?, _ path: [UInt8]) async throws -> String {
    guard let job = detail?.job else {
      let file = try await client.explain(ExplainQuery(path: path)).files.first
      guard let file, let reason = file.reasons.first else { return "waits in the spool" }
      let remedy = reason.remedy.isEmpty ? "" : " (\(DisplayText.escape(reason.remedy)))"
      return DisplayText.escape(reason.detail) + remedy
    }
    if job.state == .active {
      let transfer = try await client.status().transfers.first { $0.job == job.job }
      if let transfer { return "uploading " + TransferWords.progress(transfer, now: .now) }
    }
    guard let standstill = detail?.standstill else { return job.state.rawValue }
    let remedy = standstill.remedy.map { " (\($0))" } ?? ""
    return "job \(job.job): \(DisplayText.escape(standstill.message))\(remedy)"
  }
}

extension StatusMessage.Transfer {
  /// The share of the file that was sent, 0 … 1.
  var share: Double { size > 0 ? min(1, max(0, Double(sent) / Double(size))) : 1 }
}

/// The progress of a large upload in words.
enum TransferWords {
  /// `45 % of 7.0 GiB, 12.0 MiB/s, 5min left`
  static func progress(_ transfer: StatusMessage.Transfer, now: Timestamp) -> String {
    var words = "\(Int(transfer.share * 100)) % of \(Words.bytes(transfer.size))"
    let seconds = (now - transfer.since.timestamp).wholeSeconds
    guard seconds > 0, transfer.sent > 0 else { return words }
    let pace = transfer.sent / seconds
    words += ", \(Words.bytes(pace))/s"
    if pace > 0 { words += ", \(Words.age(.seconds(max(0, transfer.size -| transfer.sent) / pace))) left" }
    return words
  }
}
