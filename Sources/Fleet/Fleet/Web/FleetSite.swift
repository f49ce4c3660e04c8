import ControlAPI
import HTTPTypes
import HummingbirdCore
import Jobs
import NIOCore
import PostgreSQL
package import Settings
import WebPages

/// The fleet's pages: finds out who asks, and answers.
package struct FleetSite: Sendable {
  /// The most bytes of a form.
  private static let formLimit = 64 * 1024

  let settings: FleetWebSettings
  let database: FleetDatabase
  let visitors: Visitors
  /// The requests that may wait for the database at a time: fewer than there are connections, so that others are always served.
  private let asking = ConnectionSlots(96)
  let report: @Sendable (String) -> Void

  /// Creates the pages.
  ///
  /// - Parameters:
  ///   - userName: the name of a user id; must not block.
  ///   - report: called with a line for the journal: who asked for what, and what failed.
  package init(
    _ settings: FleetWebSettings, database: FleetDatabase, userName: @escaping @Sendable (UInt32) async -> String,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.database = database
    self.report = report
    visitors = Visitors(settings: settings, userName: userName)
  }

  /// Answers a request. Every error is answered in words.
  func answer(_ request: Request, of channel: any Channel) async -> SiteAnswer {
    let path = request.uri.path
    let isLook = request.method == .get || request.method == .head
    guard isLook || request.method == .post else {
      return refused(.methodNotAllowed, "only GET, HEAD and POST are here")
    }
    if isLook, path == "/healthz" { return SiteAnswer(text: "ok\n") }
    guard asking.acquire() else {
      return refused(.serviceUnavailable, "too many wait for the database already: try again in a moment")
    }
    defer { asking.giveBack() }
    if isLook, let answer = await program(path) { return answer }
    guard isKnown(request.head.authority) else {
      return refused(
        .misdirectedRequest, "this page is not served under that name: add it to server_names of [web] in fleet.toml")
    }
    if isLook, let file = Self.file(path) {
      let isStyle = path.hasSuffix(".css")
      let own = isStyle ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
      return SiteAnswer(file: file, type: OperatorPage.File(rawValue: path)?.mediaType ?? own)
    }
    do {
      return try await isLook ? look(path, request, channel) : act(path, request, channel)
    } catch {
      return failed(error, path)
    }
  }

  // MARK: for programs

  private func program(_ path: String) async -> SiteAnswer? {
    switch path {
    case "/readyz":
      do {
        try await database.run { _ in }
        return SiteAnswer(text: "ok\n")
      } catch {
        return SiteAnswer(text: Self.words(error) + "\n", status: .serviceUnavailable)
      }
    case "/metrics":
      var fleet: FleetMetrics?
      do {
        fleet = try await database.run { try FleetMetrics($0) }
      } catch {
        report("metrics: \(Self.words(error))")
      }
      return SiteAnswer(text: FleetMetrics.text(fleet), type: Exposition.mediaType)
    default: return nil
    }
  }

  // MARK: pages

  private static func file(_ path: String) -> [UInt8]? {
    switch path {
    case "/fleet.css": PackageResources.fleet_css
    case "/fleet-words.js": PackageResources.fleet_words_js
    case "/fleet.js": PackageResources.fleet_js
    case "/": nil
    default: OperatorPage.File(rawValue: path)?.bytes
    }
  }

  private func look(_ path: String, _ request: Request, _ channel: any Channel) async throws -> SiteAnswer {
    let asking = await visitors.visitor(request.headers, of: channel)
    let fields = FormFields(request.uri.query ?? "")
    let page: @Sendable (PostgreSQLSession, Visitor) throws -> (title: String, content: Markup)?
    switch path {
    case "/": page = { session, visitor in ("Waybill fleet", try Overview(session).markup(for: visitor)) }
    case "/jobs":
      let query = JobsPage.Query(fields)
      page = { session, visitor in ("Jobs · Waybill fleet", try JobsPage(session, query).markup(for: visitor)) }
    case "/job":
      page = { session, visitor in
        try JobPage(session, fields["job"] ?? "").map { ("\($0.job.shown) · Waybill fleet", $0.markup(for: visitor)) }
      }
    case "/request":
      page = { session, _ in
        try RequestPage(session, fields["id"] ?? "").map { ("\($0.asked.action) · Waybill fleet", $0.markup) }
      }
    case "/answer":
      page = { session, visitor in
        guard visitor.name != nil, let answer = Answer(fields), let meaning = try answer.meaning(session) else {
          return nil
        }
        return ("\(answer.action) · Waybill fleet", answer.markup(meaning, isChanged: answer.isChanged(meaning)))
      }
    default: page = { _, _ in nil }
    }
    let isStill = path == "/answer"
    return try await database.run { session in
      let (frame, visitor) = try Self.frame(session, asking)
      guard let (title, content) = try page(session, visitor) else {
        let fault = PageFrame.fault(
          .words("f_nothing", "There is nothing here"),
          path == "/answer" && visitor.name == nil
            ? "you can only look" : "it may have been answered, or have left its host, meanwhile")
        return SiteAnswer(frame.page("Waybill fleet", fault, refresh: false), status: .notFound)
      }
      return SiteAnswer(frame.page(title, content, refresh: !isStill))
    }
  }

  private static func frame(
    _ session: PostgreSQLSession, _ asking: Visitor
  ) throws -> (frame: PageFrame, visitor: Visitor) {
    var visitor = asking
    if visitor.name != nil, try !FleetView.mayAsk(session) { visitor = .looking(.roleMayNotAsk) }
    return (PageFrame(visitor: visitor, asOf: try FleetView.now(session)), visitor)
  }

  // MARK: answers

  private func act(_ path: String, _ request: Request, _ channel: any Channel) async throws -> SiteAnswer {
    guard path == "/answer" else { return refused(.notFound, "there is nothing here") }
    let call = BrowserCall(
      host: request.head.authority ?? "", origin: request.headers[.origin], site: request.headers[.secFetchSite])
    guard call.isSurelyOfOwnPage(schemes: ["http", "https"]) else {
      return refused(.forbidden, "the request came from another page, or does not say which page it came from")
    }
    guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
      return refused(.unsupportedMediaType, "only forms are taken here")
    }
    guard let person = await visitors.visitor(request.headers, of: channel).name else {
      return refused(.forbidden, "you can only look: nobody is named in whose name the answer would be")
    }
    let body: [UInt8]
    do throws(BodyFault) {
      body = try await request.bytes(atMost: Self.formLimit)
    } catch {
      return error == .tooLarge
        ? refused(.contentTooLarge, "a form may have at most \(Self.formLimit) bytes")
        : refused(.badRequest, "the form cannot be read")
    }
    guard let answer = Answer(FormFields(String(decoding: body, as: UTF8.self))) else {
      return refused(.badRequest, "this is no command that the page knows")
    }
    guard !answer.isUnseen else {
      return refused(.badRequest, "an answer to a group or to hosts needs the digest of what was shown")
    }
    let given: FleetRequest?
    do {
      given = try await database.run { session in try answer.give(session, by: person) }
    } catch is FleetGroupChanged {
      return try await database.run { session in try Self.changed(answer, session, person) }
    }
    guard let given else {
      return refused(.conflict, "nothing is left to do: it may have been answered meanwhile, or no host allows it")
    }
    let words = answer.action + (answer.remove ? " with removal" : "")
    report("\(DisplayText.escape(person)) asks for \(words): \(given.count) commands, request \(given.batch)")
    return SiteAnswer(seeOther: "/request?id=" + given.batch)
  }

  /// Returns the reply to an answer for a group that has changed: the present group.
  private static func changed(_ answer: Answer, _ session: PostgreSQLSession, _ person: String) throws -> SiteAnswer {
    let (frame, _) = try frame(session, .person(person))
    let content =
      try answer.meaning(session).map { answer.markup($0, isChanged: true) }
      ?? PageFrame.fault(.words("f_nothing", "There is nothing here"), "nothing is left of this group")
    return SiteAnswer(frame.page("\(answer.action) · Waybill fleet", content, refresh: false), status: .conflict)
  }

  // MARK: who is served, and faults

  /// Returns true for an address, this machine's own name, and the names in the settings. An attacker's name that resolves to
  /// this machine (DNS rebinding) is none of them.
  private func isKnown(_ authority: String?) -> Bool {
    guard let authority = authority?.lowercased(), !authority.isEmpty else { return false }
    return settings.serverNames.contains(authority)
      || HostNames(.all).allow(authority, names: Set(settings.serverNames))
  }

  private func refused(_ status: HTTPResponse.Status, _ words: String) -> SiteAnswer {
    SiteAnswer(
      PageFrame.bare("Waybill fleet", PageFrame.fault(.words("f_refused", "That was not done"), words)), status: status)
  }

  private func failed(_ error: any Error, _ path: String) -> SiteAnswer {
    if let error = error as? PostgreSQLError, error.isOfRights {
      return refused(.forbidden, "this page's role in the database may not do that: \(error.message)")
    }
    if let error = error as? PostgreSQLError, error.sqlState == "2201B" {
      return refused(.badRequest, "that is no pattern: \(error.message)")
    }
    report("\(DisplayText.escape(path)): \(Self.words(error))")
    return refused(.serviceUnavailable, Self.words(error))
  }

  private static func words(_ error: any Error) -> String {
    if let error = error as? PostgreSQLError { return "the database: \(error)" }
    return "\(error)"
  }
}

extension HTTPField.Name {
  /// The header by which a browser says where a request comes from (Fetch Metadata Request Headers). The name is well formed, so
  /// the initializer succeeds.
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
