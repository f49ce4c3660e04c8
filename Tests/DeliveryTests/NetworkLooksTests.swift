import Testing

@testable import Delivery

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

  /// Changes until the last report are merged; a later one starts anew.
  @Test(
    arguments: [
      ([0], [5, 20, 100]), ([0, 1, 2, 3, 4], [5, 20, 100]), ([0, 6, 99], [5, 20, 100]),
      ([0, 101], [5, 20, 100, 106, 121, 201]),
    ] as [(Set<Int>, [Int])])
  func reportsChangeThreeTimes(_ heard: Set<Int>, _ times: [Int]) {
    #expect(told(heard, until: 1000) == times)
  }

  @Test func flappingCausesFewReports() {
    let told = told(Set(0...3000), until: 3000)
    #expect(told.prefix(4) == [5, 20, 100, 106])
    #expect(told.count <= 3 * 31)
  }
}
