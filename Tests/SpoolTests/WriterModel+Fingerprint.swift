import Jobs
@testable import Linux
@testable import Spool

/// Two states are the same if the same may follow.
extension WriterModel {
  /// All that decides what may follow: moments by how long ago they were, up to where it makes no difference.
  var fingerprint: Fingerprint {
    var all = Fingerprint()
    for value in [truncations, losses, reloads, scans, openingsMerged ? 1 : 0] { all.add(value) }
    all.add(firstHeardAt.map { min(Self.open, tick - $0) } ?? -1)
    all.add(renamedAt.map { min(Self.rest, tick - $0) } ?? -1)
    all.add(claim.map { $0.breaksPromise ? 2 : 1 } ?? 0)
    for opener in openers {
      all.add(opener.opensLeft)
      all.add(opener.writesLeft)
      all.add((opener.isOpen ? 1 : 0) + (opener.openingWasHeard ? 2 : 0) + (opener.writeWasHeard ? 4 : 0))
    }
    for hint in queue {
      all.add(Int(hint.happening))
      all.add(hint.name)
      all.add(hint.causers)
    }
    all.add(-7)
    add(to: &all)
    return all
  }

  /// All that decides when the file is claimed, in a state of ``closed()``.
  var closedFingerprint: Fingerprint {
    var all = Fingerprint()
    add(to: &all)
    return all
  }

  private func add(to all: inout Fingerprint) {
    all.add(exists ? 1 : 0)
    all.add(name)
    all.add(Int(size))
    all.add(min(Self.open, tick - changedAt))
    all.add(candidates.readyCount)
    for name in 0...2 { add(Self.named(name), to: &all) }
    for departure in candidates.departures.all {
      add(departure.known.openers, to: &all)
      all.add(ago(departure.known.suspectSince))
    }
  }

  private func add(_ name: FileName, to all: inout Fingerprint) {
    if let openers = candidates.ignored[name] {
      all.add(-2)
      return add(openers, to: &all)
    }
    guard let candidate = candidates.table[name] else { return all.add(-1) }
    add(candidate.openers, to: &all)
    all.add(candidate.origin.hashValue)
    all.add((candidate.isReady ? 1 : 0) + (candidate.isMissing ? 2 : 0))
    all.add(ago(candidate.stillSince))
    all.add(ago(candidate.suspectSince))
    // What is due is due, however long ago that was.
    all.add(candidate.due.map { min(0, Int((now - $0).components.seconds)) } ?? 99)
    if let stillness = candidate.stillness {
      all.add((stillness == FileIdentity(facts()) ? 1 : 0) + (stillness.size < size ? 2 : 0))
    } else {
      all.add(-3)
    }
  }

  private func ago(_ moment: ContinuousClock.Instant) -> Int { min(Self.open, Int((now - moment).components.seconds)) }

  private func add(_ openers: Openers, to all: inout Fingerprint) {
    all.add(Int(openers.openings))
    all.add(
      (openers.hasWriter ? 1 : 0) + (openers.hasUnheard ? 2 : 0) + (openers.isComplete ? 4 : 0)
        + (openers.isJustMade ? 8 : 0))
  }
}

/// A row of numbers by 128 bits of them: two rows that differ have the same ones with a chance of one in 10^38.
struct Fingerprint: Hashable {
  private var high: UInt64 = 0xcbf2_9ce4_8422_2325
  private var low: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// Adds a number, by the mixing of two linear congruential generators.
  mutating func add(_ value: Int) {
    let bits = UInt64(bitPattern: Int64(value))
    high = (high ^ bits) &* 0x5851_f42d_4c95_7f2d
    high ^= high >> 29
    low = (low &+ bits) &* 0xda94_2042_e4dd_58b5
    low ^= low >> 31
  }
}
