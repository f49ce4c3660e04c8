extension Candidates {
  /// The numbers of names by what they wait for.
  struct Counts {
    /// The number of files that wait for ``SpoolOptions/settleOpen``.
    private(set) var uncertain = 0
    /// The number of files that a lease found open for writing.
    private(set) var open = 0
    /// The number of files that are ready and wait for room.
    private(set) var resting = 0
    /// The number of documents that wait for their sidecar.
    private(set) var documents = 0
    /// The number of sidecars that wait for their document.
    private(set) var sidecars = 0

    /// Adds a candidate, or removes it with the number -1.
    mutating func add(_ candidate: Candidate, _ number: Int) {
      if candidate.isUncertain { uncertain += number }
      if candidate.isOpen { open += number }
      if candidate.isReady { resting += number }
      switch candidate.alone {
      case .document: documents += number
      case .sidecar: sidecars += number
      case nil: break
      }
    }
  }
}
