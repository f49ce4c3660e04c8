import Testing

@testable import Delivery

/// When a change of the network is told.
struct NetworkLooksTests {
  private let start = ContinuousClock.now

  /// The tenths of a second at which it is told, where changes come at these.
  private func told(_ heard: Set<Int>, until end: Int) -> [Int] {
    var looks = NetworkLooks()
    return (0...end).filter { tenth in
      let now = start + .milliseconds(tenth * 100)
      if heard.contains(tenth) { looks.heard(at: now) }
      return looks.takeDue(at: now)
    }
  }

  /// Early changes are merged; a later one starts anew.
  @Test(
    arguments: [
      ([0], [5, 20, 100]), ([0, 1, 2, 3, 4], [5, 20, 100]), ([0, 6], [5, 11, 26, 106]),
    ] as [(Set<Int>, [Int])])
  func reportsChangeThreeTimes(_ heard: Set<Int>, _ times: [Int]) {
    #expect(told(heard, until: 1000) == times)
  }

  @Test func nothingDueWithoutChange() {
    var looks = NetworkLooks()
    #expect(looks.due == nil && looks.isListening && !looks.takeDue(at: start))
    looks.heard(at: start)
    #expect(looks.due == start + .milliseconds(500) && !looks.isListening)
  }

  @Test func limitsFlappingToTwelvePerMinute() {
    let told = told(Set(0...3000), until: 3000)
    #expect(told.prefix(3) == [5, 11, 17])
    for minute in 0...4 { #expect(told.count { $0 >= minute * 600 && $0 < (minute + 1) * 600 } <= 12) }
    #expect(told.count >= 4 * 12, "and does not keep it from being told")
  }
}
