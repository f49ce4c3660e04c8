import ControlAPI
package import HTTPTypes
import HummingbirdCore
package import Jobs
import Messages
package import NIOCore
import WebPages

package struct ControlAccess: Sendable {
  /// The names of a fleet's server besides `localhost`, addresses and names without a dot; nil for the socket of a daemon.
  let fleet: Set<String>?
  /// Returns the person in whose name a request is sent.
  let caller: @Sendable (HTTPFields, any Channel) async throws -> Caller

  package init(fleet: Set<String>?, caller: @escaping @Sendable (HTTPFields, any Channel) async throws -> Caller) {
    (self.fleet, self.caller) = (fleet, caller)
  }

  /// A call through `ssh -L` names `localhost`. Another name may belong to an attacker who lets it resolve to this machine.
  func checkHost(of request: Request) throws(ProblemDocument) {
    let names = HostNames(fleet == nil ? .loopback : .all)
    guard !names.allow(request.head.authority, names: fleet ?? []) else { return }
    guard fleet == nil else { throw ProblemDocument(.host, saying: .fleetOtherName) }
    let host = DisplayText.escape(String((request.head.authority ?? "").prefix(100)))
    throw ProblemDocument(.host, saying: .wrongHost(host: host))
  }

  /// Anyone who may use the socket of a daemon may do everything. If a person forwards the socket to a browser (`ssh -L`, a proxy),
  /// any page could send requests through it. So requests from a browser are refused: `waybill web` passes on what the operator's
  /// own page asks for. A fleet takes commands only from its own page, and from programs.
  func checkSender(of request: Request, at route: ControlRoute) throws(ProblemDocument) {
    guard fleet != nil else {
      if case .page = route { return }
      guard request.headers[.origin] == nil, request.head.fetchSite == nil else {
        throw ProblemDocument(.browser, saying: .noBrowsers)
      }
      return
    }
    guard request.method == .post else { return }
    guard request.head.isOfOwnPage(schemes: ["http", "https"]) else {
      throw ProblemDocument(.browser, saying: .pageOfAnother)
    }
    // another page can send a form without being asked, but no JSON
    guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
      throw ProblemDocument(.browser, saying: .fleetJsonNeeded)
    }
  }

  /// A daemon that ignored a host would do what is meant for another one.
  func checkHosts(_ hosts: Set<String>) throws(ProblemDocument) {
    guard fleet != nil || hosts.isEmpty else { throw ProblemDocument(.unknownDestination, saying: .hostIsOfFleet) }
  }
}
