import ChildProcesses
import Foundation

enum LedgerTask: String, CaseIterable {
  case backup
  case restore
}

extension CrashRun {
  private var copy: URL { rig.folder.appending(path: "copy.sqlite") }

  private func run(_ task: LedgerTask, _ environment: [String: String] = [:]) async throws -> Command {
    try await Command.run(
      [Products.daemon, "--config", rig.setup.config.path, "ledger", task.rawValue, copy.path], environment: environment
    )
  }

  /// Lives to the scenario's end, so that the ledger has something in it.
  private func prepare(for task: LedgerTask) async throws {
    guard try await live() == .well else { throw Missing("without a fault it should settle") }
    guard task == .restore else { return }
    let made = try await run(.backup)
    guard made.status == 0 else { throw Missing("the backup is not made: \(made.errors)") }
  }

  func trace(of task: LedgerTask) async throws -> CallTrace {
    try await prepare(for: task)
    let file = rig.folder.appending(path: "trace")
    let command = try await run(task, ["WAYBILL_CALL_TRACE": file.path])
    guard command.status == 0 else { throw Missing("without a fault it should succeed: \(command.errors)") }
    return CallTrace(try String(contentsOf: file, encoding: .utf8))
  }

  /// Runs the command with a fault, and returns what is wrong with that, and with the ledger afterwards.
  func faults(of task: LedgerTask, with fault: CallFault) async throws -> [String] {
    try await prepare(for: task)
    let command = try await run(task, fault.environment)
    var faults: [String] = []
    if command.status > 128 { faults.append("signal \(command.status - 128)") }
    if command.status != 0, !Self.tells(command.errors) { faults.append("it does not name the file") }
    if task == .backup {
      let isThere = FileManager.default.fileExists(atPath: copy.path)
      if isThere != (command.status == 0) {
        faults.append("status \(command.status), and the copy is there: \(isThere)")
      }
    }
    let next = try await live()
    if next != .well { faults.append("the next start: \(next)") }
    return faults.map { "\(fault): \($0)\n\(command.errors.suffix(1500))" }
  }
}
