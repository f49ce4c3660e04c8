import CommandParts
import Jobs
import Linux
import Spool

/// The copies that a killed `waybill add` leaves in a spool. No daemon takes or removes them: their names begin with a dot.
extension SpoolDrop {
  private static let prefix = Array(".waybill-add-".utf8)
  /// The age from which a copy belongs to no command that still runs.
  private static let age = Duration.seconds(86_400)

  /// Returns a temporary name for a copy. It has the time, and says nothing of the identity that the file will ask for: whoever knew
  /// that could have a file of his own become the job that is waited for.
  static func temporaryName() -> [UInt8] {
    var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    return prefix + JobID.mint(at: .now, random: &random).ascii
  }

  /// Removes those of this process's user that are older than a day, by the time in their names. Files also by the last write to
  /// them, which a long copy goes on with. A failure is none of the command's: the next call tries again.
  func removeRemains(now: Timestamp) {
    // Ignored: a spool that this user may only write into has no list.
    guard let listing = try? spool.listing() else { return }
    var names: [[UInt8]] = []
    while let entry = try? listing.next() { if Self.isOld(entry.name, now) { names.append(entry.name) } }
    for name in names {
      guard let facts = try? spool.facts(of: name), facts.owner == ProcessRights.user else { continue }
      if facts.kind == .directory {
        try? SpoolDirectory.removeTree(name, from: spool)
      } else if facts.kind == .regular, now - Timestamp(microseconds: facts.modified / 1000) > Self.age {
        try? spool.remove(name)
      }
    }
  }

  private static func isOld(_ name: [UInt8], _ now: Timestamp) -> Bool {
    guard name.starts(with: prefix), let text = String(validating: name.dropFirst(prefix.count), as: UTF8.self) else {
      return false
    }
    return JobID(text)?.mintedAt.map { now - $0 > age } ?? false
  }
}
