import FoundationEssentials
import Glibc
import Simulation

/// The files of a world, written and read without the daemon.
enum WorldFiles {
  /// Writes a whole file, under its own name at once.
  static func write(_ bytes: [UInt8], to path: String) {
    let other = path + ".new"
    let descriptor = unsafe open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "\(other) cannot be written: errno \(errno)")
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
      }
      precondition(count > 0, "\(other) cannot be written: errno \(errno)")
      sent += count
    }
    close(descriptor)
    _ = unsafe rename(other, path)
  }

  static func write(_ text: String, to path: String) { write(Array(text.utf8), to: path) }

  static func write(_ plan: ConfigurationPlan, root: String) {
    let path = "\(root)/waybill.toml"
    write(plan.constants, to: path + ConfigurationPlan.constantsEnding)
    write(plan.text(root: root), to: path)
  }

  static func hand(over state: WorldState, to path: String) {
    do {
      write(Array(try JSONEncoder().encode(state)), to: path)
    } catch {
      preconditionFailure("the world cannot be written: \(error)")
    }
  }

  static func state(from path: String) throws -> WorldState {
    try JSONDecoder().decode(WorldState.self, from: Data(contentsOf: URL(filePath: path)))
  }
}
