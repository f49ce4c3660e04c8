import Jobs
import Linux

/// A sum over the facts of all files and directories of a group, independent of their order. Equal sums mean that nothing has
/// changed.
package struct GroupSum: Hashable, Sendable {
  private(set) var value: UInt64

  init(value: UInt64 = 0) { self.value = value }

  /// Adds a file, with its path from the group's directory.
  mutating func add(_ path: FileName, _ facts: FileFacts) {
    add(path.bytes, [facts.inode] + [facts.size, facts.modified, facts.changed].map { UInt64(bitPattern: $0) })
  }

  /// Adds a directory below the group's own.
  mutating func add(folder path: [UInt8], _ facts: FileFacts) {
    add(path, [facts.inode, UInt64(bitPattern: facts.changed)])
  }

  private mutating func add(_ path: [UInt8], _ numbers: [UInt64]) {
    var crc = CRC64NVME()
    for number in numbers { crc.update((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }) }
    crc.update(path)
    value &+= Self.mixed(crc.value)
  }

  /// A CRC is linear: without this, equal changes of two files could cancel each other in the sum (the function is MurmurHash3's
  /// fmix64).
  private static func mixed(_ crc: UInt64) -> UInt64 {
    var mixed = (crc ^ (crc >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return mixed ^ (mixed >> 33)
  }
}
