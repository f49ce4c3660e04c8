import ControlAPI
import HTTPTypes
import Jobs
import NIOCore
import Settings
import WebPages

/// The person who looks at the page.
enum Visitor: Hashable, Sendable {
  /// A person in whose name answers are given.
  case person(String)
  /// A person who may only look, with the reason.
  case looking(Reason)

  /// The reasons why somebody may only look.
  enum Reason: Hashable, Sendable {
    /// Nothing in the settings says who the person is: no user, no header, and not the peer of the Unix socket.
    case nobodyIsSet
    /// The reverse proxy has named nobody.
    case proxyNamesNobody(header: String)
    /// The role of the page has no right to ask hosts for anything.
    case roleMayNotAsk
  }

  var name: String? { if case .person(let name) = self { name } else { nil } }
}

/// Finds out who sends a request.
struct Visitors: Sendable {
  let settings: FleetWebSettings
  let userName: @Sendable (UInt32) async -> String

  /// Returns the visitor of a request, as the settings say. Nothing is guessed: behind a reverse proxy that the settings do not
  /// mention, the peer of the socket is the proxy, whoever asks.
  func visitor(_ fields: HTTPFields, of channel: any Channel) async -> Visitor {
    if let header = settings.userHeader {
      let name = HTTPField.Name(header).flatMap { fields[$0] }
      return name.flatMap(Self.person) ?? .looking(.proxyNamesNobody(header: header))
    }
    if let user = settings.user { return .person(user) }
    guard settings.peer, case .socket = settings.listen, let peer = try? await SocketPeer.of(channel) else {
      return .looking(.nobodyIsSet)
    }
    return Self.person(FleetPerson.fitting(await userName(peer.uid))) ?? .looking(.nobodyIsSet)
  }

  private static func person(_ name: String) -> Visitor? { FleetPerson(name).map { .person($0.name) } }
}
