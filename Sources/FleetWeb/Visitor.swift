import ControlServer
import HTTPTypes
import Jobs
import NIOCore
import Settings

/// The person who looks at the page.
enum Visitor: Hashable, Sendable {
  /// Somebody in whose name answers are given.
  case person(String)
  /// Somebody who only looks, and why.
  case looking(Reason)

  /// The reasons why somebody may only look.
  enum Reason: Hashable, Sendable {
    /// Neither a person nor a header that names one is set.
    case nobodyIsSet
    /// The reverse proxy has named nobody.
    case proxyNamesNobody(header: String)
    /// The role of the page has no right to ask hosts for anything.
    case roleMayNotAsk
  }

  var name: String? { if case .person(let name) = self { name } else { nil } }
}

/// Finds out who asks.
struct Visitors: Sendable {
  let settings: FleetWebSettings
  let userName: @Sendable (UInt32) async -> String

  /// The longest name of a person in bytes, as at the control socket.
  private static let longestName = 128

  /// Returns the visitor of a request. The kernel vouches for who uses the Unix socket; a header counts only if it is set.
  func visitor(_ fields: HTTPFields, of channel: any Channel) async -> Visitor {
    if let header = settings.userHeader {
      let name = HTTPField.Name(header).flatMap { fields[$0] }
      return name.flatMap(Self.person) ?? .looking(.proxyNamesNobody(header: header))
    }
    if let user = settings.user { return .person(user) }
    // A proxy that nobody told us of has its own uid, which is nobody's who looks at the page.
    let isForwarded = fields.contains {
      $0.name.canonicalName.hasPrefix("x-forwarded") || $0.name.canonicalName == "forwarded"
    }
    guard case .socket = settings.listen, !isForwarded, let peer = try? await SocketPeer.of(channel) else {
      return .looking(.nobodyIsSet)
    }
    return .person(await userName(peer.uid).replacing(",", with: "_"))
  }

  private static func person(_ name: String) -> Visitor? {
    let isName = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: scalar != ","
      }
    }
    return !name.isEmpty && isName && name.utf8.count <= longestName ? .person(name) : nil
  }
}
