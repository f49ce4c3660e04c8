extension Books {
  /// The time after a registration by which the daemon knows of it, whatever happens to it.
  private static let patience = Duration.seconds(10)

  /// The names of the other drops with the same bytes.
  func twins(of drop: Drop) -> [String] {
    let first = drop.sameAs ?? drop.number
    return entries.map(\.drop)
      .filter { ($0.sameAs ?? $0.number) == first && $0.number != drop.number && $0.spool == drop.spool }.map(\.name)
  }

  /// Files that were sent although their bytes were registered when they came.
  func sentTwice(_ ends: Deliveries) -> [String] {
    entries.compactMap { entry in
      let mode = duplicates[entry.drop.spool] ?? .send
      guard mode != .send, let came = entry.versions.first?.at,
        let first = twins(of: entry.drop).compactMap({ ends.first(name: $0, self) }).min(),
        first + Self.patience < came
      else { return nil }
      let ids = ends.ids(name: entry.drop.name)
      let wrong =
        switch mode {
        case .send: false
        case .skip: !ids.isEmpty
        case .ask: ids.contains { !repeats.contains($0) }
        case .link: !ends.idsOfObjects(name: entry.drop.name).isEmpty
        }
      return wrong ? "\(entry.drop.name) was sent, and its bytes were registered at \(first)" : nil
    }
  }
}
