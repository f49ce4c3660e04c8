import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import Messages
import NIOCore
import PostgreSQL
package import Settings
import WebPages

/// The server of the fleet: finds out who asks, and answers as a daemon would, over what is stored.
package struct FleetSite: Sendable {
  /// The most bytes of a command's body.
  private static let bodyLimit = 64 * 1024

  let settings: FleetWebSettings
  private let calls: FleetCalls
  private let visitors: Visitors
  /// The requests that may wait for the database at a time: fewer than there are connections, so that others are always served.
  private let asking = ConnectionSlots(96)
  private let report: @Sendable (String) -> Void

  /// Creates the server.
  ///
  /// - Parameters:
  ///   - userName: the name of a user id; must not block.
  ///   - report: called with a line for the journal: who asked for what, and what failed.
  package init(
    _ settings: FleetWebSettings, database: FleetDatabase, userName: @escaping @Sendable (UInt32) async -> String,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.report = report
    calls = FleetCalls(database: database, report: report)
    visitors = Visitors(settings: settings, userName: userName)
  }

  /// Answers a request. Every error is answered in words.
  func answer(_ request: Request, of channel: any Channel) async -> SiteAnswer {
    let path = request.uri.path
    let language = HTTPField.Name("Accept-Language").flatMap { request.headers[$0] }
    var texts = TextForm.words(ReaderLanguage(acceptLanguage: language))
    do {
      let isLook = request.method == .get || request.method == .head
      guard isLook || request.method == .post else {
        throw ProblemDocument(.method, saying: .methodNotHere(method: request.method.rawValue))
      }
      if isLook, path == "/healthz" { return SiteAnswer(text: "ok\n") }
      guard asking.acquire() else {
        throw ProblemDocument(
          .overloaded, saying: .fleetBusy)
      }
      defer { asking.giveBack() }
      if isLook, let answer = await program(path) { return answer }
      guard isKnown(request.head.authority) else {
        throw ProblemDocument(
          .host,
          saying: .fleetOtherName)
      }
      if isLook, let file = OperatorPage.File(rawValue: path) { return SiteAnswer(file) }
      let query = try FleetQuery(request.uri.query ?? "", acceptLanguage: language)
      texts = query.texts
      let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
      guard segments.first == "v1" else { throw FleetCalls.nothing(at: path) }
      let call = Array(segments.dropFirst())
      if isLook {
        let lastEvent = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
        return try await calls.look(call, query, lastEvent: lastEvent)
      }
      let (person, body) = try await command(request, of: channel)
      return try await calls.carryOut(call, query, body, by: person)
    } catch {
      return SiteAnswer(problem(error, path), texts)
    }
  }

  // MARK: for programs

  private func program(_ path: String) async -> SiteAnswer? {
    switch path {
    case "/readyz":
      do {
        try await calls.database.run { _ in }
        return SiteAnswer(text: "ok\n")
      } catch {
        return SiteAnswer(text: Self.words(error) + "\n", status: .serviceUnavailable)
      }
    case "/metrics":
      var fleet: FleetMetrics?
      do {
        fleet = try await calls.database.run { try FleetMetrics($0) }
      } catch {
        report("metrics: \(Self.words(error))")
      }
      return SiteAnswer(text: FleetMetrics.text(fleet), type: Exposition.mediaType)
    default: return nil
    }
  }

  // MARK: who is served

  /// Returns the person who asks for a command, and its body.
  private func command(
    _ request: Request, of channel: any Channel
  ) async throws -> (person: String, body: [UInt8]) {
    let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
    let call = BrowserCall(host: request.head.authority ?? "", origin: request.headers[.origin], site: site)
    guard call.isOfOwnPage(schemes: ["http", "https"]) else {
      throw ProblemDocument(.browser, saying: .fleetOtherPage)
    }
    // another page can send a form without being asked, but no JSON
    guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
      throw ProblemDocument(.invalidRequest, saying: .fleetJsonNeeded)
    }
    guard let person = await visitors.visitor(request.headers, of: channel) else {
      throw ProblemDocument(.onBehalfOf, saying: .fleetReadOnly)
    }
    do throws(BodyFault) {
      return (person, try await request.bytes(atMost: Self.bodyLimit))
    } catch {
      throw error == .tooLarge
        ? ProblemDocument(.tooLarge, saying: .bodyTooLarge(limit: Self.bodyLimit))
        : ProblemDocument(.invalidRequest, saying: .requestBodyUnreadable)
    }
  }

  /// Returns true for an address, this machine's own name, and the names in the settings. An attacker's name that resolves to
  /// this machine (DNS rebinding) is none of them.
  private func isKnown(_ authority: String?) -> Bool {
    guard let authority = authority?.lowercased(), !authority.isEmpty else { return false }
    return settings.serverNames.contains(authority)
      || HostNames(.all).allow(authority, names: Set(settings.serverNames))
  }

  // MARK: faults

  private func problem(_ error: any Error, _ path: String) -> ProblemDocument {
    switch error {
    case let problem as ProblemDocument: return problem
    case let invalid as InvalidRequest: return ProblemDocument(.invalidRequest, saying: .text(invalid.detail))
    case let error as PostgreSQLError where error.isOfRights:
      return ProblemDocument(.onBehalfOf, saying: .fleetReadOnly)
    // class 22: a value that is no pattern, no time or no number
    case let error as PostgreSQLError where error.sqlState?.hasPrefix("22") == true:
      return ProblemDocument(.invalidRequest, saying: .text(error.message))
    default:
      report("\(DisplayText.escape(path)): \(Self.words(error))")
      return ProblemDocument(.overloaded, saying: .text(Self.words(error)))
    }
  }

  private static func words(_ error: any Error) -> String {
    if let error = error as? PostgreSQLError { return "the database: \(error)" }
    return "\(error)"
  }
}
