import ControlAPI
import HTTPTypes
import Jobs
import NIOCore
import Settings
import WebPages

/// Finds out who sends a request.
struct Visitors: Sendable {
  let settings: FleetWebSettings
  let userName: @Sendable (UInt32) async -> String

  /// Returns the person in whose name a command is given; nil for somebody who may only look. Nothing is guessed: behind a reverse
  /// proxy that the settings do not mention, the peer of the socket is the proxy, whoever asks.
  func visitor(_ fields: HTTPFields, of channel: any Channel) async -> String? {
    if let header = settings.userHeader {
      return HTTPField.Name(header).flatMap { fields[$0] }.flatMap { FleetPerson($0)?.name }
    }
    if let user = settings.user { return user }
    guard settings.peer, case .socket = settings.listen, let peer = try? await SocketPeer.of(channel) else {
      return nil
    }
    return FleetPerson(FleetPerson.fitting(await userName(peer.uid)))?.name
  }
}
