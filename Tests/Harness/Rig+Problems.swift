import ChildProcesses
import Foundation
import Testing

extension Rig {
  /// What the control socket, the command and the metrics say of one problem.
  func expectTold(_ what: String, remedy: String, area: String) async throws {
    try await until("the problem") {
      try await daemon.status().problems.array.contains { $0.what.string?.contains(what) == true }
    }
    let problems = try await daemon.status().problems.array
    let problem = try #require(problems.first { $0.what.string?.contains(what) == true })
    #expect(problem.remedy.string?.contains(remedy) == true, "\(problem)")
    #expect(problem.since.string?.hasSuffix("Z") == true)
    let command = try await daemon.waybill("status")
    let first = command.output.split(separator: "\n", omittingEmptySubsequences: false).first ?? ""
    // How many wait may have changed since.
    let isFirst = problems.first?.what.string?.contains(what) == true
    #expect(isFirst && first.contains(what), "\(command.output)")
    #expect(!command.output.contains("Nothing waits for you"), "\(command.output)")
    let metrics = try await daemon.control("GET", "/metrics").body
    #expect(metrics.contains("waybill_problems{what=\"\(area)\"} 1"), "\(metrics)")
  }

  func expectOver() async throws {
    try await until("the problem to be over") { try await daemon.status().problems.array.isEmpty }
    #expect(try await daemon.waybill("status").output.hasPrefix("Nothing waits for you."))
  }
}
