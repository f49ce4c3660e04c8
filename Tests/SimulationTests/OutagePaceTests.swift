import HTTPTransfer
import Simulation
import Testing

@Suite struct OutagePaceTests {
  /// Has one host hear refusals in that many minutes, so many in each.
  private func pace(minutes: Int, perMinute: Int, successIn minute: Int? = nil) -> OutagePace {
    var pace = OutagePace()
    for number in 0..<minutes {
      for refusal in 0..<perMinute {
        let now = Duration.seconds(60 * number) + .seconds(60) * refusal / perMinute
        pace.heard("s.storage.example", isRefusal: true, at: now)
      }
      if number == minute { pace.heard("s.storage.example", isRefusal: false, at: .seconds(60 * number + 59)) }
    }
    return pace
  }

  @Test func probeEverySecondIsTooMuch() { #expect(pace(minutes: 5, perMinute: 60).fault != nil) }

  @Test func occasionalProbesAreFine() { #expect(pace(minutes: 60, perMinute: 10).fault == nil) }

  @Test func initialInFlightBurstIsFine() { #expect(pace(minutes: 2, perMinute: 500).fault == nil) }

  @Test func successResetsPace() {
    #expect(pace(minutes: 4, perMinute: 60, successIn: 1).fault == nil)
    #expect(pace(minutes: 5, perMinute: 60, successIn: 1).fault != nil)
  }

  @Test func countsGeneralButNotJobRefusals() {
    func isRefusal(_ status: Int) -> Bool? { Passage.Outcome.instead(FarAnswer(status), at: .zero).isRefusal(nil) }
    #expect([401, 429, 502, 503].allSatisfy { isRefusal($0) == true })
    #expect([400, 403, 409, 422].allSatisfy { isRefusal($0) == nil })
    #expect(Passage.Outcome.answer(at: .zero).isRefusal(FarAnswer(201)) == false)
    #expect(Passage.Outcome.failure(TransferTrouble(.connect), at: .zero).isRefusal(nil) == true)
    #expect(Passage.Outcome.failure(TransferTrouble(.connectionLost), at: .zero).isRefusal(nil) == nil)
  }
}
