import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import Messages
import WebPages

/// Decides which requests may pass to the control socket: only those of the operator's own page, in a browser that was given
/// the URL with the token.
///
/// Any user of this machine, and any page in the browser, can send requests to a port of the loopback. `Host` stops attackers'
/// names that resolve to this machine (DNS rebinding), `Origin` stops other pages, and the token stops everybody else.
struct PageGuard: Sendable {
  /// The header that carries the token. A page of another origin cannot send it unless a preflight request allows it.
  static let tokenHeader = "X-Waybill-Token"

  let token: PageToken

  /// The reason why a request does not pass.
  enum Refusal: Error {
    case host, origin, token, path, method

    var answer: (status: HTTPResponse.Status, code: ProblemCode, words: Message) {
      switch self {
      case .host: (.misdirectedRequest, .host, .pageHost)
      case .origin: (.forbidden, .browser, .pageOfAnother)
      case .token: (.forbidden, .token, .pageToken)
      case .path: (.notFound, .unknownPath, .pageNothing)
      case .method: (.methodNotAllowed, .methodNotAllowed, .pageMethods)
      }
    }
  }

  /// Lets a request pass, or throws the reason. `port` is the port that it came to.
  func check(_ head: HTTPRequest, port: Int) throws(Refusal) {
    let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    guard let host = head.authority, hosts.contains(host) else { throw .host }
    guard head.isOfOwnPage(schemes: ["http"]) else { throw .origin }
    guard [.get, .head, .post].contains(head.method) else { throw .method }
    let path = head.path.map { $0.prefix { $0 != "?" } } ?? ""
    // The files of the page itself contain no data of the daemon, and can do nothing without the token.
    if OperatorPage.File(rawValue: String(path)) != nil, head.method != .post { return }
    guard let name = HTTPField.Name(Self.tokenHeader), let shown = head.headerFields[name], token.matches(shown) else {
      throw .token
    }
    guard path.hasPrefix("/v1/") else { throw .path }
  }
}

/// The token that the operator's page has to show with each call: random, and known only to those who were given the URL.
struct PageToken: Sendable {
  /// 128 bits in hex.
  let text: String

  init() {
    var random = SystemRandomNumberGenerator()
    text = Hex.text((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  /// True if the other token is the same. The time it takes does not show where they differ.
  func matches(_ other: String) -> Bool {
    let (mine, theirs) = (Array(text.utf8), Array(other.utf8))
    guard mine.count == theirs.count else { return false }
    return zip(mine, theirs).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
