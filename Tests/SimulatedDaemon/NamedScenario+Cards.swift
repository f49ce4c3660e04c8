import Simulation

extension NamedScenario {
  /// Cards that come and go: each thing that becomes of one with each thing that meets it. What is on a card is sent once, or asked about,
  /// or waits for the card, and no other spool waits for it.
  package static var cards: [NamedScenario] {
    CardChange.allCases.enumerated().flatMap { row, change in
      CardMeeting.allCases.enumerated().map { column, meeting in
        NamedScenario(
          name: "a card that \(change.rawValue), with \(meeting.rawValue)",
          Scenario(card: change, meeting, seed: UInt64(100 * row + column)))
      }
    }
  }
}
