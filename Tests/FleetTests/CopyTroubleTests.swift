import ControlAPI
import Testing

@testable import Fleet

/// An error of the copy is told if it lasts, once, and once more when it is over.
@Suite struct CopyTroubleTests {
  private static let away = ControlError.noDaemon(socket: "/s", words: "refused")
  private static let unreadable = ControlError.unreadable(socket: "/s", words: "kind \"x\" is not known")

  /// The tries, counted from 1, whose failure is reported.
  private static func told(_ trouble: CopyTrouble, _ errors: [ControlError]) -> [Int] {
    errors.enumerated().filter { trouble.failed($0.element) }.map { $0.offset + 1 }
  }

  @Test func shortTroubleIsNotTold() {
    let trouble = CopyTrouble()
    for _ in 1...3 {
      #expect(Self.told(trouble, Array(repeating: Self.away, count: CopyTrouble.patience - 1)) == [])
      #expect(trouble.lasting == nil && !trouble.ended())
    }
  }

  @Test func lastingTroubleIsToldOnce() {
    let trouble = CopyTrouble()
    let errors = (1...50).map { ControlError.unreadable(socket: "/s", words: "caller \($0)") }
    #expect(Self.told(trouble, errors) == [CopyTrouble.patience])
    #expect(trouble.lasting == errors.last)
    #expect(trouble.ended() && trouble.lasting == nil && !trouble.ended())
    #expect(Self.told(trouble, errors) == [CopyTrouble.patience])
  }

  /// Also one that differs from try to try lasts, and is told once.
  @Test func changingReasonsAreToldOnce() {
    let trouble = CopyTrouble()
    let errors = (1...20).flatMap { _ in [Self.away, Self.unreadable] }
    #expect(Self.told(trouble, errors) == [CopyTrouble.patience])
    #expect(trouble.lasting == Self.unreadable && trouble.ended())
  }
}
