import ChildProcesses
import Foundation
import Glibc

extension JSONValue {
  /// A journal field's bytes: journalctl writes what it cannot print as a list of numbers.
  var fieldBytes: [UInt8]? {
    if let string { return Array(string.utf8) }
    return array.isEmpty ? nil : array.compactMap(\.int).map { UInt8($0) }
  }
}

extension Journal {
  func signal(_ number: Int32) throws {
    let text = try String(contentsOfFile: folder + "/pid", encoding: .utf8)
    guard let pid = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Missing("no pid: \(text)")
    }
    kill(pid, number)
  }

  /// Of one event's entries, how many there are and how many events they stand for.
  func counts(of event: String) async throws -> (entries: Int, events: Int) {
    let entries = try await entries("WAYBILL_EVENT=" + event)
    return (entries.count, entries.reduce(0) { $0 + ($1.WAYBILL_COUNT.string.flatMap { Int($0) } ?? 1) })
  }
}
