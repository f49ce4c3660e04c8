import ChildProcesses
import Foundation
import Synchronization

@testable import Harness

/// A daemon in a bad world: files are dropped at random, the daemon is killed at random, both servers fail, the disk is
/// full now and then, the clock jumps, and an operator answers this and that. Nothing may be lost for it.
///
/// All that is chosen at random comes from the seed; what comes of it depends on the machine too.
final class Torture: Sendable {
  struct Figures: Sendable {
    private(set) var counts: [String: Int] = [:]
    mutating func count(_ what: String, _ number: Int = 1) { counts[what, default: 0] += number }
    func text(_ names: [String]) -> String { names.map { "\(counts[$0, default: 0]) \($0)" }.joined(separator: ", ") }
  }

  private struct Contents {
    var books: Books
    var figures = Figures()
    var commands: [String: Set<String>] = [:]
    var faults: [String] = []
    var isFull = false
    var wasFull = false
  }

  let seed: UInt64
  let rig: Rig
  let sandboxes: [Sandbox]
  let disk: MemoryDisk
  let clock: WallClock
  /// The second spool, which is on the machine's own disk.
  let second: URL
  let end: ContinuousClock.Instant
  private let state: Mutex<Contents>

  init(
    seed: UInt64, seconds: Int, _ rig: Rig, other: Sandbox, disk: MemoryDisk, clock: WallClock, places: [Books.Place]
  ) {
    self.seed = seed
    self.rig = rig
    sandboxes = [rig.sandbox, other]
    self.disk = disk
    self.clock = clock
    second = places[1].spool
    end = .now + .seconds(seconds)
    state = Mutex(Contents(books: Books(places: places)))
  }

  var isOn: Bool { .now < end && !Task.isCancelled }

  /// Chance of its own for each of those who act at the same time.
  func chance(_ actor: UInt64) -> Chance { Chance(seed: seed &* 0x9E37_79B9 &+ actor) }

  /// What was dropped so far, with what was asked for.
  var books: Books {
    state.withLock { state in
      var books = state.books
      for (name, commands) in state.commands { books.change(name) { $0.commands = commands } }
      return books
    }
  }

  func enter(_ name: String, sha256: String) {
    state.withLock {
      $0.books.enter(Books.Entry(name: name, sha256: sha256, fate: .any))
      $0.figures.count("files")
    }
  }

  func note(_ command: String, of name: String) {
    state.withLock {
      $0.commands[name, default: []].insert(command)
      $0.figures.count("answers")
    }
  }

  func count(_ what: String, _ number: Int = 1) { state.withLock { $0.figures.count(what, number) } }

  /// Whether the disk was full at any time since this was last asked.
  func takeWasFull() -> Bool {
    state.withLock { state in
      defer { state.wasFull = state.isFull }
      return state.wasFull
    }
  }

  func noteDisk(isFull: Bool) {
    state.withLock {
      $0.isFull = isFull
      if isFull {
        $0.wasFull = true
        $0.figures.count("full disks")
      }
    }
  }

  func noteFaults(_ faults: [String], after what: String) {
    state.withLock { state in state.faults += faults.map { "after \(what): \($0)" } }
  }

  var faults: [String] { state.withLock { $0.faults } }
  var figures: Figures { state.withLock { $0.figures } }

  func rest(_ chance: inout Chance, _ milliseconds: ClosedRange<Int>) async throws {
    let left = max(.zero, end - .now)
    try await Task.sleep(for: min(left, .milliseconds(chance.int(milliseconds))))
  }
}

struct Chance: RandomNumberGenerator {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { numbers.next() }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One of them; the first where there is none to choose from is the caller's fault.
  mutating func one<Value>(of values: [Value]) -> Value { values[int(0...(values.count - 1))] }

  /// Whether something of so many in a hundred comes to pass.
  mutating func happens(_ percent: Int) -> Bool { int(1...100) <= percent }
}
