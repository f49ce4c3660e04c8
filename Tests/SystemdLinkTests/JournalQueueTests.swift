import ChildProcesses
import Linux
import Synchronization
import Testing

@testable import SystemdLink

/// The entries that wait, and the writer that rests while they gather. A rest lasts an hour here, so that nothing but what is tested
/// ends it.
@Suite struct JournalQueueTests {
  /// A writer on a thread of its own. It keeps the messages of each batch.
  private final class Writer: Sendable {
    let queue: JournalQueue
    private let written = Mutex<[[String]]>([])
    private let ended = Atomic(false)

    var batches: [[String]] { written.withLock(\.self) }
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    init(entryLimit: Int = 1000, byteLimit: Int = 1 << 20, pause: Duration = .seconds(3600)) throws {
      queue = JournalQueue(
        entryLimit: entryLimit, byteLimit: byteLimit, pause: pause, notice: JournalWriter.defaultDropNotice)
      try Thread.start("test journal") { [self] in
        while let batch = queue.nextBatch() {
          written.withLock { $0.append(batch.map(\.message)) }
          queue.finished(batch.count, bytes: batch.reduce(0) { $0 + $1.size })
          queue.rest()
        }
        ended.store(true, ordering: .releasing)
      }
    }

    /// Sends one entry; returns true if the writer was woken for it.
    func send(_ message: String, _ priority: JournalEntry.Priority = .info) -> Bool {
      queue.send([JournalEntry(message: message, priority: priority)])
    }

    func rests() async throws { try await until("the writer to rest") { queue.writer == .rests } }

    func batches(_ count: Int) async throws -> [[String]] {
      try await until("\(count) batches") { batches.count >= count }
      return batches
    }
  }

  /// A writer that has written one entry, and rests.
  private func resting(entryLimit: Int = 1000, byteLimit: Int = 1 << 20) async throws -> Writer {
    let writer = try Writer(entryLimit: entryLimit, byteLimit: byteLimit)
    _ = writer.send("first")
    try await writer.rests()
    #expect(writer.batches == [["first"]])
    return writer
  }

  /// Every entry that woke the writer would be a batch of its own.
  @Test func gathersEntriesWithoutWakeUps() async throws {
    let writer = try await resting()
    defer { writer.queue.close() }
    for round in 1...3 {
      let messages = (1...100).map { "entry \(round).\($0)" }
      #expect(messages.count { writer.send($0) } == 0, "the writer is not woken while it rests")
      #expect(writer.send("error \(round)", .err), "an error ends the rest")
      #expect(try await writer.batches(round + 1).last == messages + ["error \(round)"])
      try await writer.rests()
    }
  }

  @Test func wakesListeningWriterOnce() async throws {
    let writer = try Writer(pause: .zero)
    defer { writer.queue.close() }
    for round in 1...3 {
      try await until("the writer to listen") { writer.queue.writer == .listens }
      #expect(writer.send("entry \(round)"))
      _ = try await writer.batches(round)
    }
    #expect(writer.batches == [["entry 1"], ["entry 2"], ["entry 3"]])
  }

  @Test(arguments: JournalEntry.Priority.allCases)
  func onlyErrorsEndRest(_ priority: JournalEntry.Priority) async throws {
    let writer = try await resting()
    defer { writer.queue.close() }
    #expect(writer.send("entry", priority) == [.emerg, .alert, .crit, .err].contains(priority))
  }

  @Test(arguments: [false, true]) func drainOrCloseEndsRest(_ isDrained: Bool) async throws {
    let writer = try await resting()
    #expect(!writer.send("second"))
    if isDrained { #expect(await writer.queue.drain()) }
    writer.queue.close()
    try await until("the writer to end") { writer.hasEnded }
    #expect(writer.batches == [["first"], ["second"]])
  }

  @Test func quarterOfQueueEndsRest() async throws {
    let writer = try await resting(entryLimit: 40)
    defer { writer.queue.close() }
    let messages = (1...10).map { "entry \($0)" }
    #expect(messages.map { writer.send($0) } == Array(repeating: false, count: 9) + [true])
    #expect(try await writer.batches(2).last == messages)
    let large = try await resting(byteLimit: 64 << 10)
    defer { large.queue.close() }
    let long = String(repeating: "a", count: 9 << 10)
    #expect([long, long].map { large.send($0) } == [false, true])
    #expect(try await large.batches(2).last == [long, long])
  }

  @Test func restEndsByItself() async throws {
    let writer = try Writer(pause: .milliseconds(300))
    defer { writer.queue.close() }
    _ = writer.send("first")
    try await writer.rests()
    _ = writer.send("second")
    #expect(try await writer.batches(2) == [["first"], ["second"]])
  }

  /// An entry that is larger than the whole queue is reported, although nothing else wakes the writer.
  @Test func reportsEntryThatNeverFits() async throws {
    let writer = try Writer(byteLimit: 4 << 10, pause: .zero)
    defer { writer.queue.close() }
    try await until("the writer to listen") { writer.queue.writer == .listens }
    #expect(writer.send(String(repeating: "a", count: 8 << 10)))
    #expect(try await writer.batches(1) == [["1 journal entry was dropped"]])
    #expect(await writer.queue.drain())
  }
}
