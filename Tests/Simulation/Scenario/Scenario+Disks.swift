extension Scenario {
  /// Adds what a few seeds have besides: a disk of all spools that is full for half of the time, or damage in a row of the ledger. It is
  /// chosen by the seed alone, so that all others keep what they have.
  mutating func addTroubleOfDisks() {
    switch seed % 16 {
    case 1, 9:
      timeline.removeAll { if case .fillDisk = $0.action { true } else { false } }
      fullFolder = "spools"
      timeline += [Moment(at: troubleEnd / 5, .fillDisk(true)), Moment(at: troubleEnd * 7 / 10, .fillDisk(false))]
    case 11: timeline.append(Moment(at: troubleEnd / 2, .loseLedger(.value)))
    default: return
    }
    timeline = timeline.inOrder
  }
}

extension [Moment] {
  /// The same by time; what has the same time stays in its order.
  var inOrder: [Moment] {
    enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}
