import Linux
import Seams
import Testing

extension CrashRun {
  /// Lives until the daemon dies at a failpoint, and sees that nothing is lost in that moment.
  func die(at point: Failpoint, turn: Int = 1) async throws {
    let end = try await live(until: point, turn: turn)
    #expect(end == .died(at: point))
    let faults = try await faultsAtDeath()
    #expect(faults == [])
  }

  func expectWell() async throws {
    let end = try await live()
    #expect(end == .well)
  }
}
