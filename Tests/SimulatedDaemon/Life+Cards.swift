import FoundationEssentials
import Glibc
import Simulation
import Synchronization

extension Life {
  /// Puts a card into a slot, or takes the one out that is there. After the trouble a card has had its turn by then: all that is on it must
  /// be done.
  func insert(_ card: Card?, into directory: String, _ now: Int64) {
    let state = contents.withLock(\.state)
    let isTurn = now - (state.slots[directory]?.since ?? now) >= 3600 * 1_000_000
    if isTurn, now - state.scenario.troubleEnd.microseconds >= 3600 * 1_000_000, operators.jobs != nil {
      let unfinished = state.books.unfinished(facts, sides, state.configuration)
      if !unfinished.isEmpty { violate("a card goes that is not done: \(unfinished.joined(separator: "; "))") }
    }
    change { state in
      try state.writer.insert(card, into: directory)
      state.slots[directory] = .init(card: card, since: now)
    }
    guard card != nil, let names = try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(directory)") else {
      return
    }
    for path in [directory] + names.map({ "\(directory)/\($0)" }) { putOnCard(path) }
  }

  /// Gives a file or directory in a slot the device number of the card there.
  func putOnCard(_ path: String) {
    let slots = contents.withLock(\.state.slots)
    guard let slot = slots.first(where: { path == $0.key || path.hasPrefix($0.key + "/") })?.value else { return }
    var facts = stat()
    guard unsafe lstat("\(root)/\(path)", &facts) == 0 else { return }
    let card = slot.card.flatMap { $0.hasOwnDevice ? $0 : nil }
    times.put(inode: UInt64(facts.st_ino), on: card, device: UInt64(facts.st_dev))
  }
}
