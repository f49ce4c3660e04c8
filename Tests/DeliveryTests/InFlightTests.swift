import ChildProcesses
import Jobs
import Linux
import Testing

@testable import Delivery

@Suite struct InFlightTests {
  private let thread: PollThread
  private let inFlight: InFlight

  init() throws {
    thread = try PollThread(name: "in flight")
    inFlight = InFlight(on: thread.tasks)
  }

  private static func count(_ inFlight: InFlight) -> Int {
    [1, 2, 3].count { inFlight.has(JobNumber(rawValue: $0)) }
  }

  private static func untilCut() async -> Bool {
    while !Task.isCancelled { await Task.yield() }
    return true
  }

  @Test func cutEndsSinglePieceAndSlot() async throws {
    let inFlight = inFlight
    async let first = inFlight.withSlot { slot in
      let before = await inFlight.run(JobNumber(rawValue: 1), at: .storage("a"), in: slot) {
        Task.isCancelled
      }
      let isCutBefore = slot.isCut
      let wasCut = await inFlight.run(JobNumber(rawValue: 2), at: .storage("a"), in: slot) {
        await Self.untilCut()
      }
      return (before, isCutBefore, wasCut, slot.isCut)
    }
    async let other = inFlight.withSlot { slot in
      await inFlight.run(JobNumber(rawValue: 3), at: .storage("a"), in: slot) { await Self.untilCut() }
    }
    try await until("two in flight") { Self.count(inFlight) == 2 }
    inFlight.cut(JobNumber(rawValue: 1))  // it has ended
    inFlight.cut(JobNumber(rawValue: 2))
    #expect(try await first == (false, false, true, true))
    #expect(Self.count(inFlight) == 1)
    inFlight.cut(JobNumber(rawValue: 3))
    #expect(try await other)
    #expect(Self.count(inFlight) == 0)
  }

  @Test func cutCanAwaitEnd() async throws {
    let inFlight = inFlight
    let caller = Task {
      try await inFlight.withSlot { slot in
        await inFlight.run(JobNumber(rawValue: 1), at: .storage("a"), in: slot) {
          _ = await Self.untilCut()
          for _ in 0..<100 { await Task.yield() }
          return true
        }
      }
    }
    try await until("one in flight") { Self.count(inFlight) == 1 }
    await inFlight.cutAndWait(JobNumber(rawValue: 1), at: .storage("b"))
    await inFlight.cutAndWait(JobNumber(rawValue: 2), at: .storage("a"))
    #expect(Self.count(inFlight) == 1)
    await inFlight.cutAndWait(JobNumber(rawValue: 1), at: .storage("a"))
    #expect(Self.count(inFlight) == 0, "the end of its work takes it out")
    #expect(try await caller.value)
  }

  /// The end of its caller cuts a slot too, but no later one.
  @Test(arguments: [true, false]) func cutAllAlsoCutsLaterPieces(cutsAll: Bool) async throws {
    let inFlight = inFlight
    let first = Task {
      try await inFlight.withSlot { slot in
        await inFlight.run(JobNumber(rawValue: 1), at: .storage("a"), in: slot) { await Self.untilCut() }
      }
    }
    try await until("one in flight") { Self.count(inFlight) == 1 }
    cutsAll ? inFlight.cutAll() : first.cancel()
    #expect(try await first.value)
    guard cutsAll else { return }
    let late = try await inFlight.withSlot { slot in
      await inFlight.run(JobNumber(rawValue: 2), at: .storage("a"), in: slot) { await Self.untilCut() }
    }
    #expect(late)
  }

  @Test func withdrawnPieceIsCutAtStart() async throws {
    let inFlight = inFlight
    let wasCut = try await inFlight.withSlot { slot in
      let job = JobNumber(rawValue: 1)
      let turn = inFlight.begin(job, at: .storage("a"), in: slot) { inFlight.has(job) }
      defer { inFlight.end(turn) }
      return await Self.untilCut()
    }
    #expect(wasCut, "it is asked once a cut finds the piece")
  }
}
