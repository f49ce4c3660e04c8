import FoundationEssentials
import Jobs
import Linux
import WebPages

/// The names of this machine: its host name, alone and with its domain.
///
/// The lookup of the domain may need a name server, which may not answer for long. So it goes through `UserNames`: a caller waits
/// for a limited time and then continues without the answer.
struct MachineNames: Sendable {
  private let name: String
  private let lookUps: UserNames

  init(clock: Clock) {
    let name = ProcessInfo.processInfo.hostName.lowercased()
    self.name = name
    lookUps = UserNames(clock: clock) { _ in MachineName.full(of: name)?.lowercased() ?? name }
  }

  /// Returns the names, in lower case, as far as they are known when it returns.
  func all() async -> Set<String> {
    let full = await lookUps.name(of: 0)
    return [name, String(name.prefix { $0 != "." }), full]
  }
}
