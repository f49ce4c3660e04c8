import Linux
import Simulation
import Synchronization

/// The times of files in virtual time: the kernel stamps them by its own clock, which stands nearly still in a simulation.
///
/// A file has the time at which it was first seen with its present stamp. Whoever changes a file in the world has it looked at there
/// and then (``noteChange(_:at:)``).
final class VirtualFileTimes: Sendable {
  struct Table: Codable, Sendable {
    var files: [String: Stamp] = [:]
    /// The device numbers of files on cards that have one of their own, by inode.
    var devices: [UInt64: UInt64] = [:]
    /// The device that all cards are on in truth.
    var device: UInt64 = 0
  }

  /// The kernel's stamp of a file, and the virtual times that it stands for, in nanoseconds.
  struct Stamp: Codable, Sendable {
    var changed: Int64
    var modified: Int64
    var virtualChanged: Int64
    var virtualModified: Int64
  }

  private let table: Mutex<Table>

  init(_ table: Table) { self.table = Mutex(table) }

  var known: Table { table.withLock(\.self) }

  /// Gives a file the times of the world. `now` is the wall clock in nanoseconds.
  func translate(_ facts: FileTimes.Facts, now: Int64) -> FileTimes.Facts {
    table.withLock { table in
      let name = "\(facts.device):\(facts.inode)"
      var stamp =
        table.files[name]
        ?? Stamp(changed: 0, modified: 0, virtualChanged: now, virtualModified: now)
      if stamp.changed != facts.changed || stamp.modified != facts.modified {
        stamp.virtualChanged = now
        if stamp.modified != facts.modified { stamp.virtualModified = now }
        (stamp.changed, stamp.modified) = (facts.changed, facts.modified)
        table.files[name] = stamp
      }
      var result = facts
      if facts.device == table.device, let device = table.devices[facts.inode] { result.device = device }
      (result.changed, result.modified) = (stamp.virtualChanged, stamp.virtualModified)
      return result
    }
  }

  /// Gives a file that was changed just now the present time, even if the kernel's stamp is the same as before.
  func noteChange(device: UInt64, inode: UInt64, isModified: Bool, now: Int64) {
    table.withLock { table in
      let name = "\(table.devices[inode] == device ? table.device : device):\(inode)"
      guard var stamp = table.files[name] else { return }
      stamp.virtualChanged = now
      if isModified { stamp.virtualModified = now }
      table.files[name] = stamp
    }
  }

  /// Gives a file or directory the device number of the card that it is on; nil for that of the world.
  func put(inode: UInt64, on card: Card?, device: UInt64) {
    table.withLock { table in
      table.device = device
      table.devices[inode] = card.map { Self.firstOfCards + UInt64($0.number) }
    }
  }

  private static let firstOfCards: UInt64 = 1 << 40
}
