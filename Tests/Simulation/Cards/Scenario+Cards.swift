import SeededNumbers

extension Scenario {
  /// A scenario in which one thing becomes of a card, and one thing meets it.
  package init(card change: CardChange, _ meeting: CardMeeting, seed: UInt64) {
    var maker = CardMaker(seed: seed, meetings: [meeting], end: .seconds(600))
    self = maker.scenario([change])
  }

  package init(cardsOf seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let permille = numbers.pick([100, 250, 500])
    let meetings = CardMeeting.allCases.filter { _ in numbers.isOne(in: permille) }
    let changes = (0...numbers.index(below: 4)).map { _ in numbers.pick(CardChange.allCases) }
    var maker = CardMaker(
      seed: seed, meetings: meetings, end: numbers.pick([.seconds(90), .seconds(600), .seconds(3600)]))
    self = maker.scenario(changes)
  }
}
