import Dispatch
import FoundationEssentials
import Jobs
import LinuxFiles
import Synchronization

/// The names of this machine: its host name, alone and with its domain.
///
/// A name server may have to be asked for the domain, and may not answer for long. So that is done beforehand, on a thread of its own, and
/// again once in a while when somebody asks for a name that is not known.
final class MachineNames: Sendable {
  private struct State {
    var full: String?
    var isLooking = false
    var nextLook = Timestamp(seconds: 0)
  }

  private static let pause = Duration.seconds(60)

  private let name: String
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "waybill.host")
  private let clock: Clock

  init(clock: Clock) {
    self.clock = clock
    name = ProcessInfo.processInfo.hostName.lowercased()
    look()
  }

  /// The names, in lower case, as far as they are known by now.
  var all: Set<String> {
    look()
    let short = name.prefix { $0 != "." }
    let full = state.withLock { $0.full }
    return Set([name, String(short)] + [full].compactMap(\.self))
  }

  private func look() {
    let now = clock.steady()
    let isDue = state.withLock { state in
      guard !state.isLooking, now >= state.nextLook else { return false }
      state.isLooking = true
      return true
    }
    guard isDue else { return }
    queue.async { [self] in
      let full = MachineName.full(of: name)?.lowercased()
      state.withLock { state in
        state.full = full ?? state.full
        state.isLooking = false
        state.nextLook = now + Self.pause
      }
    }
  }
}
