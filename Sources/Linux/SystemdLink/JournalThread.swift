import Glibc
import Linux
import Messages

/// The work of the journal's thread: it takes entries from the queue and writes them one after the other.
struct JournalThread: ~Copyable {
  private let queue: JournalQueue
  private let standardError: Int32
  private let terminal: Bool
  private let toJournalStream: Bool
  private let identifier: String
  private let format: JournalFormat
  private var native: NativeJournal

  init(queue: JournalQueue, identifier: String, standardError: Int32, journalStream: String?, format: JournalFormat) {
    self.queue = queue
    self.identifier = identifier
    self.format = format
    self.standardError = standardError
    terminal = isatty(standardError) == 1
    toJournalStream = JournalOutput.leads(standardError, to: journalStream)
    native = NativeJournal(identifier: identifier)
  }

  /// Writes until the queue is closed and empty.
  mutating func run() {
    while let batch = queue.nextBatch() {
      // If the socket is gone, sd_journal_sendv returns 0 and drops the entry. So its existence is checked, once per batch.
      var output = currentOutput()
      if output.native {
        for entry in batch {
          write(entry, &output)
          queue.finished(1, bytes: entry.size)
        }
      } else {
        write(batch, as: output.text ?? output.fallback)
      }
      queue.rest()
    }
  }

  /// The maximum number of bytes of several lines to write at once: a pipe keeps these together (PIPE_BUF in pipe(7)).
  private static let portion = 4096

  /// Writes entries as lines of text, several at once up to that limit.
  private func write(_ batch: [JournalEntry], as form: JournalOutput.TextForm) {
    var text: [UInt8] = []
    var (entries, bytes) = (0, 0)
    func flush() {
      guard entries > 0 else { return }
      if writeAll(text, to: standardError) != 0 { queue.lost(entries) }
      queue.finished(entries, bytes: bytes)
      text.removeAll(keepingCapacity: true)
      (entries, bytes) = (0, 0)
    }
    for entry in batch {
      let line = self.line(entry, as: form)
      if text.count + line.count > Self.portion { flush() }
      text += line
      entries += 1
      bytes += entry.size
    }
    flush()
  }

  private func line(_ entry: JournalEntry, as form: JournalOutput.TextForm) -> [UInt8] {
    form == .json ? JournalJSON.line(entry, identifier: identifier) : JournalText.line(entry, form: form)
  }

  private func currentOutput() -> JournalOutput {
    if format == .json { return .json }
    let listens = unsafe access("/run/systemd/journal/socket", W_OK) == 0
    return JournalOutput(journalListens: listens, terminal: terminal, journalStream: toJournalStream)
  }

  private mutating func write(_ entry: JournalEntry, _ output: inout JournalOutput) {
    var pause = Duration.milliseconds(100)
    var code = output.native ? native.send(entry) : 0
    while Self.mayPass(code) && !queue.isClosed {
      Self.sleep(pause)
      pause = min(pause * 2, .seconds(2))
      output = currentOutput()
      code = output.native ? native.send(entry) : 0
    }
    if code == 0 && output.text == nil { return }
    // An entry that journald refuses is written as text. It is still not written twice.
    let form = output.text ?? output.fallback
    let written = writeAll(line(entry, as: form), to: standardError) == 0
    if !written && (code != 0 || !output.native) { queue.lost(1) }
  }

  /// Returns true if journald is only unavailable or short of resources, so that the same entry may be accepted later.
  private static func mayPass(_ code: Int32) -> Bool {
    [ECONNREFUSED, ENOENT, EAGAIN, ENOBUFS, ENOMEM, EMFILE, ENFILE, EINTR].contains(code)
  }

  private static func sleep(_ duration: Duration) {
    let nanoseconds = Int(duration.nanoseconds)
    var time = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    // Signals are blocked in this thread, so nothing interrupts the sleep.
    _ = unsafe nanosleep(&time, nil)
  }
}
