import ChildProcesses
import Foundation
import Linux
import Seams
import Testing

@testable import Harness

/// What `make syscalls` was asked for.
enum WantedCalls {
  private static let variables = ProcessInfo.processInfo.environment
  /// The names of the scenarios; empty for all. Nil outside of `make syscalls`.
  static let scenarios = variables["WAYBILL_TEST_SYSCALLS"].map { $0.split(separator: " ").map(String.init) }
  /// Which part of all faults is tried: one of so many.
  static let share = max(1, variables["WAYBILL_TEST_SYSCALLS_SHARE"].flatMap { Int($0) } ?? 1)

  static func includes(_ name: String) -> Bool { scenarios.map { $0.isEmpty || $0.contains(name) } ?? true }
}

/// Every call on a file that a scenario makes fails with each error that it can give, once and from then on: `make syscalls`.
///
/// A scenario is run once to learn its calls. They differ a little from run to run, as threads do, so a call is known by its name,
/// its file and the functions that it comes through, and not by its number.
@Suite(.slot, .needs(.failpoints), .enabled(if: WantedCalls.scenarios != nil, "it is for make syscalls"))
struct EverySystemCallTests {
  /// A scenario, and the failpoint that the daemon dies at before the life with the fault.
  struct Course: CustomTestStringConvertible {
    var scenario: CrashScenario
    var after: Failpoint?
    var testDescription: String { after.map { "\(scenario) after \($0)" } ?? "\(scenario)" }
  }

  static let courses =
    ([
      .plain, .parts, .archive, .archiveElsewhere, .sidecars, .sidecarsArchivedElsewhere, .group, .cancelled, .reload,
    ] as [CrashScenario]).map { Course(scenario: $0) }
    + [
      Course(scenario: .plain, after: .claimSynced), Course(scenario: .plain, after: .linkCommitted),
      Course(scenario: .archiveElsewhere, after: .archiveMarked),
      Course(scenario: .cancelled, after: .releaseCommitted),
    ]

  private static func withCourse(_ course: Course, _ body: (CrashRun) async throws -> Void) async throws {
    try await withCrashes(course.scenario) { run in
      if let point = course.after { try await run.die(at: point) }
      try await body(run)
    }
  }

  @Test(arguments: courses.filter { WantedCalls.includes("\($0.scenario)") })
  func everyFailedCallLosesNothing(course: Course) async throws {
    var faults: [CallFault] = []
    try await Self.withCourse(course) { faults = try await $0.trace().faults }
    #expect(faults.count > 100)
    var random = Seeds.numbers(function: course.testDescription)
    faults = faults.shuffled(using: &random)
    let tried = faults.prefix(max(1, faults.count / WantedCalls.share))
    print("\(course.testDescription): \(tried.count) of \(faults.count) faults")
    try await forEach(tried) { fault in
      try await Self.withCourse(course) { run in
        let found = try await run.faults(with: fault)
        #expect(found == [])
      }
    }
  }

  @Test(arguments: LedgerTask.allCases.filter { WantedCalls.includes($0.rawValue) })
  func everyCommandFailureKeepsLedgerIntact(task: LedgerTask) async throws {
    var faults: [CallFault] = []
    try await withCrashes(.plain) { faults = try await $0.trace(of: task).faults }
    #expect(faults.count > 50)
    var random = Seeds.numbers(function: task.rawValue)
    try await forEach(faults.shuffled(using: &random).prefix(max(1, faults.count / WantedCalls.share))) { fault in
      try await withCrashes(.plain) { run in
        let found = try await run.faults(of: task, with: fault)
        #expect(found == [])
      }
    }
  }

  /// Tries a few at the same time: most of a life is waiting.
  private func forEach(
    _ faults: ArraySlice<CallFault>, _ body: @escaping @Sendable (CallFault) async throws -> Void
  ) async throws {
    var rest = faults
    while !rest.isEmpty {
      try await withThrowingDiscardingTaskGroup { group in
        for fault in rest.prefix(4) { group.addTask { try await body(fault) } }
      }
      rest = rest.dropFirst(4)
    }
  }
}
