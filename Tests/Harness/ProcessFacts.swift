import ChildProcesses
import Foundation

enum ProcessFacts {
  /// A size of `/proc/PID/status` in bytes: VmRSS is what the process has in memory now, VmHWM the most that it ever had.
  static func bytes(_ name: String, of pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
      let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { throw Missing("\(name) of \(pid)") }
    return kibibytes << 10
  }

  static func descriptors(of pid: Int32) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
  }

  /// In seconds.
  static func processorTime(of pid: Int32) throws -> Double {
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // The name stands in brackets and may hold blanks; utime and stime are the 12th and 13th field after it.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw Missing("the processor time of \(pid)")
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
