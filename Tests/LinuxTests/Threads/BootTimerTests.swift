import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

@Suite(.bounded) struct BootTimerTests {
  /// The kernel's account of a descriptor (proc(5), fdinfo).
  private func account(of descriptor: Int32) throws -> [String: String] {
    let text = try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
    return Dictionary(
      text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return parts.count == 2 ? (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) : nil
      }, uniquingKeysWith: { first, _ in first })
  }

  /// On CLOCK_BOOTTIME, which is number 7: the clock that goes on while the machine sleeps.
  @Test func clockContinuesDuringSuspend() throws {
    let timer = try BootTimer()
    timer.set(after: .seconds(3600))
    let account = try account(of: timer.descriptor)
    #expect(account["clockid"] == "7")
    #expect(account["it_value"].map { $0.hasPrefix("(35") || $0.hasPrefix("(3600") } == true, "\(account)")
  }

  @Test(arguments: [Duration.zero, .seconds(-5), .milliseconds(20)])
  func ringsOnce(_ pause: Duration) throws {
    let timer = try BootTimer()
    timer.set(after: pause)
    var waiting = pollfd(fd: timer.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&waiting, 1, 10_000) == 1)
    #expect(timer.hasRung())
    #expect(!timer.hasRung())
  }

  @Test func newSettingReplacesEarlierOne() throws {
    let timer = try BootTimer()
    timer.set(after: .zero)
    timer.set(after: .seconds(3600))
    #expect(!timer.hasRung())
    timer.set(after: nil)
    #expect(try account(of: timer.descriptor)["it_value"] == "(0, 0)")
  }

  /// A thread that sleeps until a far alarm sleeps by that clock too.
  @Test func farAlarmUsesBootClock() async throws {
    let thread = try PollThread(name: "test")
    thread.setAlarm(.now + .seconds(3600))
    let isSet = {
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").compactMap {
        Int32($0)
      }
      return descriptors.contains { number in
        // Descriptors of other tests come and go.
        guard let account = try? account(of: number), account["clockid"] == "7" else { return false }
        return account["it_value"].map { $0.hasPrefix("(35") || $0.hasPrefix("(3600") } ?? false
      }
    }
    try await until("the timer is set") { try isSet() }
    withExtendedLifetime(thread) {}
  }
}
