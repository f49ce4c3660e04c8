import Credentials
import Jobs
package import Ledger
package import Linux
import Synchronization

/// Checks, while a destination waits for a key, if a different key can be read, so that the destination's jobs go on at once. While no
/// destination waits, no timer runs.
package final class KeyWatch: Sendable {
  /// The longest time until a new key is noticed. A check costs one stat(2) for each file.
  static let interval: Duration = .seconds(1)

  private let current: CurrentConfiguration
  /// The refused values by waiting destination; nil for a value that could not be read.
  private let refused = Mutex<[Destination: [Int?]]>([:])
  private let (rings, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm

  package init(current: CurrentConfiguration, on machine: Machine) throws(FileError) {
    self.current = current
    alarm = try Alarm("waybill.keys", on: machine, ring: { [ring] in ring.yield() })
  }

  /// Records, after a commit, which destinations wait for a key.
  package func update(_ counts: LedgerCounts) {
    let waiting = Self.waiting(counts)
    refused.withLock { refused in
      for destination in refused.keys where !waiting.contains(destination) { refused[destination] = nil }
      for destination in waiting where refused[destination] == nil {
        refused[destination] = readers(of: destination).map(\.lastGeneration)
      }
    }
    if !waiting.isEmpty { alarm.setIfUnset(after: Self.interval) }
  }

  package func run(_ ledger: JobLedger) async {
    for await _ in rings {
      for destination in Self.waiting(ledger.counts) where takeChange(at: destination) {
        ledger.keyChanged(destination)
      }
      update(ledger.counts)
    }
  }

  /// Returns true if the key differs from the refused one, or could not be read before. From then on the new key is compared.
  private func takeChange(at destination: Destination) -> Bool {
    let readers = readers(of: destination)
    let before = refused.withLock { $0[destination] } ?? readers.map(\.lastGeneration)
    let hasChanged = zip(readers, before).contains { $0.seekChange(since: $1) }
    // Also if no key has changed: a key that cannot be read now counts as different once it can.
    refused.withLock { $0[destination] = readers.map(\.lastGeneration) }
    return hasChanged
  }

  private func readers(of destination: Destination) -> [CredentialReader] {
    current.now.credentials(of: destination).map(\.reader)
  }

  private static func waiting(_ counts: LedgerCounts) -> [Destination] {
    counts.gates.filter { $0.value.closure?.reason == .credentials }.map(\.key)
  }
}
