import ChildProcesses
import Foundation
import Glibc
import Linux
import Seams

/// A scenario in which one call on a file fails.
extension CrashRun {
  /// Lives to the scenario's end, and returns the calls that were made.
  func trace() async throws -> CallTrace {
    let file = rig.folder.appending(path: "trace")
    let (end, _) = try await live(["WAYBILL_CALL_TRACE": file.path]) { _ in false }
    guard end == .settled(faults: []) else { throw Missing("without a fault it should settle: \(end)") }
    return CallTrace(try String(contentsOf: file, encoding: .utf8))
  }

  /// Lives with a fault, and returns what was wrong with that: with its end, its words, and with what is there afterwards.
  func faults(with fault: CallFault) async throws -> [String] {
    let (end, words) = try await live(fault.environment) { words in fault.stays && Self.tells(words) }
    var faults: [String] = []
    switch end {
    case .settled(let found): faults += found
    case .told: break
    case .crashed, .died: faults.append("\(end)")
    case .exited(let status):
      if ![0, 69, 74].contains(status), !(status == 78 && fault.mayBeOfSettings) { faults.append("\(end)") }
      if status != 0, !Self.tells(words) { faults.append("it ends and does not name the file") }
    }
    faults += try await faultsAtDeath().map { "then: \($0)" }
    let next = try await live()
    if next != .well { faults.append("the next start: \(next)") }
    // A sidecar that may not be read counts as missing, and whoever confirms the question sends the document without it.
    if fault.error == "EACCES" { faults.removeAll { $0.contains("registered without its description") } }
    return faults.map { "\(fault): \($0)\n\(words.suffix(1500))" }
  }

  /// Whether a daemon has said something of the file whose call has failed, beside the announcement of that.
  static func tells(_ words: String) -> Bool {
    guard let path = CallFault.path(in: words) else { return false }
    var name = path.split(separator: "/").last.map(String.init) ?? path
    // SQLite's files are one to it, and to who reads of it
    for tail in ["-wal", "-shm", "-journal"] where name.hasSuffix(tail) { name.removeLast(tail.count) }
    // A copy is made under a name that nobody is to know, which begins with a point and ends in a number.
    if name.hasPrefix(".copy.sqlite") { name = "copy.sqlite" }
    return words.split(separator: "\n").contains { !CallFault.announces($0) && $0.contains(name) }
  }

  /// Starts the daemon and does what is left to do, until all is settled, or enough is said, or it ends.
  func live(
    _ environment: [String: String], saysEnough: (String) -> Bool
  ) async throws -> (End, words: String) {
    let child = try rig.daemon.launch(environment: environment)
    var end: End?
    var answers = false
    do {
      end = try await until("all to be settled, or the error to be told: \(environment)") { () -> End? in
        if try child.ending() != nil { return .told }
        if saysEnough(child.errorText) { return .told }
        // Once it answers, the ledger tells of all that is new.
        if !answers { answers = try await rig.daemon.control("GET", "/v1/status").status == 200 }
        guard answers else { return nil }
        if try child.ending() == nil { try await act() }
        guard try await clerk.settles(books) else { return nil }
        return .settled(faults: try await books.faults(at: rig.daemon, [rig.sandbox]))
      }
      child.signal(SIGTERM)
    } catch {
      // what fails because the daemon has ended is no fault of its own
      guard try await hasEnded(child) else { throw error }
    }
    switch (try await child.end(), end) {
    // It was asked to stop while a start that failed was about to end it, and nothing listened for that any more or yet.
    case (.signal(SIGTERM), .told): return (.told, child.errorText)
    case (.signal(SIGKILL), _): return (.died(at: Failpoint.met(by: child)), child.errorText)
    case (.signal(let number), _): return (.crashed(signal: number), child.errorText)
    case (.exit(0), .some(let end)): return (end, child.errorText)
    case (.exit(let status), _): return (.exited(status), child.errorText)
    }
  }
}
