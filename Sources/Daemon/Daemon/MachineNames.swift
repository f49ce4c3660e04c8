import FoundationEssentials
import Jobs
import Linux
import WebPages

/// The names of this machine: its host name, alone and with its domain.
///
/// A name server may have to be asked for the domain, and may not answer for long: it is asked as it is for users (`UserNames`), and whoever
/// asks waits a while for it and goes on without.
struct MachineNames: Sendable {
  private let name: String
  private let lookUps: UserNames

  init(clock: Clock) {
    let name = ProcessInfo.processInfo.hostName.lowercased()
    self.name = name
    lookUps = UserNames(clock: clock) { _ in MachineName.full(of: name)?.lowercased() ?? name }
  }

  /// Returns the names, in lower case, as far as they can be known.
  func all() async -> Set<String> {
    let full = await lookUps.name(of: 0)
    return [name, String(name.prefix { $0 != "." }), full]
  }
}
