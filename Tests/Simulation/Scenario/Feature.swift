import SeededNumbers

/// What a scenario may have. Each seed has a random subset: rare combinations hide behind common ones (swarm testing; Groce and
/// others, "Swarm Testing", 2012).
package enum Feature: String, Codable, Hashable, Sendable, CaseIterable {
  // The configuration
  case severalSpools, severalStorages, severalBackends, sidecars, groups, recursion, archives, plainKeys
  case parts, otherChecksums, fixedConcurrency, shortDelays, retriedUnavailable, narrowAdmission, priorities
  case shortHistory
  case takenConflicts, overwriting

  // Files
  case manyFiles, emptyFiles, slowWriters, keptNames, appending, replacing, touching, modes

  // Servers
  case slowness, longTails, losses, statuses, outages, throttling, silence, jobRefusals, pages, mostAtOnce
  case mostPerSecond, weakStorages, foreignObjects, changedKeys

  // People
  case answers, cancels, discards, pauses, reloads

  // The machine
  case crashes, restarts, clockJumps, fullDisks, networkChanges, lostSpools

  static func draw(_ numbers: inout SplitMix64) -> [Feature] {
    let permille = numbers.pick([80, 200, 350, 500])
    return allCases.filter { feature in
      // There was one more between these two. The seeds keep what they have.
      if feature == .restarts { _ = numbers.isOne(in: permille) }
      return numbers.isOne(in: permille)
    }
  }
}
