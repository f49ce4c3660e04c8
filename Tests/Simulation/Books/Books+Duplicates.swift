extension Books {
  /// The time after a registration by which the daemon knows of it, whatever happens to it.
  private static let patience = Duration.seconds(10)

  func twins(of drop: Drop) -> [String] {
    let first = drop.sameAs ?? drop.number
    return entries.map(\.drop)
      .filter { ($0.sameAs ?? $0.number) == first && $0.number != drop.number && $0.spool == drop.spool }.map(\.name)
  }

  /// Files that were sent although their bytes were registered when they came.
  func sentTwice(_ ends: Deliveries) -> [String] {
    entries.compactMap { entry in
      guard skips.contains(entry.drop.spool), let came = entry.versions.first?.at,
        let first = twins(of: entry.drop).compactMap({ ends.first(name: $0, self) }).min(),
        first + Self.patience < came, !ends.ids(name: entry.drop.name).isEmpty
      else { return nil }
      return "\(entry.drop.name) was sent, and its bytes were registered at \(first)"
    }
  }
}
