import ChildProcesses
import Foundation

struct Told: Sendable, CustomStringConvertible {
  let json: JSONValue
  var reason: String { json.reasons.array.first?.reason.string ?? "" }
  var detail: String { json.reasons.array.first?.detail.string ?? "" }
  var remedy: String { json.reasons.array.first?.remedy.string ?? "" }
  var jobs: [Int] { json.jobs.array.compactMap(\.job.int) }
  var description: String { "\(json)" }
}

extension Rig {
  func explain(_ file: String) async throws -> Told {
    let command = try await daemon.waybill("explain", "--json", file)
    guard let first = try JSONValue(parsing: command.output).files.array.first else {
      throw Missing("nothing is told of \(file): \(command)")
    }
    return Told(json: first)
  }

  func explained(_ file: String, as reason: String, line: Int = #line) async throws -> Told {
    var last: Told?
    do {
      return try await until("\(file) to be explained as \(reason)", line: line) {
        last = try await explain(file)
        return last?.reason == reason ? last : nil
      }
    } catch is TimedOut {
      throw Missing("line \(line): \(file) is not \(reason): \(last.map { "\($0)" } ?? "nothing")")
    }
  }
}
