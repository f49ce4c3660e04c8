import ControlAPI
import ControlServer
import HTTPTypes
import Jobs
import Linux
import Messages
import NIOCore
package import Settings
import SystemdLink
import WebPages

/// The web server of the fleet, which serves the control API over the jobs of all hosts.
package struct FleetWeb: Sendable {
  /// The longest time that a peer may take for a request, for an answer, or to do nothing.
  private static let limits = ControlServer.Limits(peerPatience: .seconds(120), eventStreams: 16)

  private let settings: FleetWebSettings
  private let service: FleetService
  private let userName: @Sendable (UInt32) async -> String

  package init(
    _ settings: FleetWebSettings, database: String, userName: @escaping @Sendable (UInt32) async -> String,
    report: @escaping @Sendable (String) -> Void
  ) throws {
    (self.settings, self.userName) = (settings, userName)
    service = FleetService(database: try FleetDatabase(database, report: report), report: report)
  }

  /// Serves until the task is cancelled.
  /// - Throws: `SystemdError` or `ControlServer.CannotListen` if it cannot listen there; `ControlServer.ListenerLost`.
  package func run(ready: @escaping @Sendable () -> Void) async throws {
    var socket: ListeningSocket?
    defer { try? socket?.removeFile() }  // Ignored: the next start replaces a file that stayed.
    let place: ControlServer.Place
    switch settings.listen {
    case .address(let address): place = .address(address.host, address.port)
    case .socket(let path):
      let made = try UnixSocket.listen(path: path)
      for note in made.notes { service.report(note) }
      socket = made
      place = .socket(made.descriptor)
    }
    let names = Set(settings.serverNames.compactMap(HostNames.host))
    let access = ControlAccess(fleet: names) { fields, channel in
      guard let person = await person(fields, channel) else {
        throw ProblemDocument(.onBehalfOf, saying: .fleetReadOnly)
      }
      // the history of the host has the agent's id
      return Caller(uid: .max, user: person)
    }
    try await ControlServer(
      at: place, operations: service, access: access, limits: Self.limits,
      now: { Timestamp(microseconds: Clocks.wall()) }, report: service.report
    ).run(ready: ready)
  }

  /// Returns the person in whose name a command is given; nil for somebody who may only look. Nothing is guessed: behind a reverse
  /// proxy that the settings do not mention, the peer of the socket is the proxy, whoever asks.
  private func person(_ fields: HTTPFields, _ channel: any Channel) async -> String? {
    if let header = settings.userHeader {
      return HTTPField.Name(header).flatMap { fields[$0] }.flatMap { FleetPerson($0)?.name }
    }
    if let user = settings.user { return user }
    // Ignored: without the peer's user nobody may answer.
    guard settings.peer, case .socket = settings.listen, let peer = try? await SocketPeer.of(channel) else {
      return nil
    }
    return FleetPerson(FleetPerson.fitting(await userName(peer.uid)))?.name
  }
}
