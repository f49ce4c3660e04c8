import FoundationEssentials
import Jobs
import OpenSSL

/// An HTTP backend that takes registrations and honours `Idempotency-Key`, as docs/backend.md asks for. It grants uploads too.
package struct ModelBackend: Codable, Hashable, Sendable {
  package static let healthPath = "/health"
  /// The beginning of the paths for grants. The scheme and the host of the storage, the bucket, and the seconds of the grant follow.
  package static let uploadsPath = "/uploads/"

  package var path: String
  /// The tokens that it accepts; none for any request.
  package var tokens: [String]
  /// The registrations, by Idempotency-Key without its quotes.
  package private(set) var registrations = SortedTable<Registration>()
  package private(set) var requests: [RequestRecord] = []
  /// What it was sent that it must never be sent, in words.
  package private(set) var violations: [String] = []
  private var lastGrant = 0

  package init(path: String = "/documents", tokens: [String] = []) {
    self.path = path
    self.tokens = tokens
  }

  package mutating func act(on request: FarRequest, at now: Duration) -> FarAnswer {
    let key = request[header: "Idempotency-Key"].map { String($0.filter { $0 != "\"" }) }
    let answer = respond(to: request, key, at: now)
    let document = try? JSONDecoder().decode(RegisteredDocument.self, from: Data(request.body))
    requests.append(
      RequestRecord(
        operation: request.method, subject: key ?? "", id: document?.job ?? key, sentAt: request.sentAt, actedAt: now,
        status: answer.status))
    return answer
  }

  private mutating func respond(to request: FarRequest, _ key: String?, at now: Duration) -> FarAnswer {
    if request.method == "GET", request.path == Self.healthPath { return FarAnswer(204) }
    if request.method == "CONNECT" { return FarAnswer(200) }
    let isOfUpload = request.path.hasPrefix(Self.uploadsPath)
    guard request.path == path || isOfUpload else { return Self.problem(404, "nothing is here") }
    let token = request[header: "Authorization"]
    guard tokens.isEmpty || tokens.contains(where: { token == "Bearer " + $0 }) else {
      return Self.problem(401, "the token is missing or is another one")
    }
    switch request.method {
    case "OPTIONS": return FarAnswer(204)
    case "POST", "PUT", "PATCH": break
    default: return Self.problem(405, "a registration is a POST")
    }
    guard let key else {
      violations.append("a registration came without an Idempotency-Key")
      return Self.problem(400, "the Idempotency-Key is missing")
    }
    if isOfUpload { return grant(request, key, at: now) }
    guard let document = try? JSONDecoder().decode(RegisteredDocument.self, from: Data(request.body)).located else {
      violations.append("the body of registration \(key) is no document")
      return Self.problem(400, "the body is not JSON")
    }
    if document.id != key { violations.append("registration \(key) has the id \(document.id) in its body") }
    let sha256 = Hex.text(SHA256.hash(data: request.body))
    if let known = registrations[key] {
      guard known.bodySHA256 == sha256 else {
        violations.append("registration \(key) came again with another body")
        return Self.problem(422, "this Idempotency-Key came with another body before")
      }
      return created(known)
    }
    let registration = Registration(
      number: registrations.entries.count + 1, at: now, bodySHA256: sha256, document: document)
    registrations[key] = registration
    return created(registration)
  }

  /// Grants a PUT. Each grant is for a key of its own, so that nothing that lands late replaces what is registered.
  private mutating func grant(_ request: FarRequest, _ key: String, at now: Duration) -> FarAnswer {
    let place = request.path.dropFirst(Self.uploadsPath.count).split(separator: "/")
    guard place.count == 4, let seconds = Int64(place[3]),
      let upload = try? JSONDecoder().decode(WantedUpload.self, from: Data(request.body)), upload.id == key
    else {
      violations.append("a grant was asked for that cannot be given: \(String(decoding: request.body, as: UTF8.self))")
      return Self.problem(400, "this cannot be granted")
    }
    lastGrant += 1
    let locator = "\(place[0])://\(place[1])/\(place[2])/\(ModelStorage.grantedKeys)\(key)/\(lastGrant)"
    let end = (now + .seconds(seconds)).microseconds
    let digest = upload.sha256.map { #","x-amz-meta-waybill-sha256":"\#($0)""# } ?? ""
    return FarAnswer(
      201, type: "application/json",
      #"{"url":"\#(locator)?\#(ModelStorage.grantEnds)=\#(end)","locator":"\#(locator)","expires_in":\#(seconds),"#
        + #""headers":{"x-amz-meta-waybill-id":"\#(key)"\#(digest)}}"#)
  }

  private func created(_ registration: Registration) -> FarAnswer {
    FarAnswer(
      201, type: "application/json", "{\"ok\":true,\"number\":\(registration.number)}\n",
      headers: [FarHeader("Location", "\(path)/\(registration.number)")])
  }

  private static func problem(_ status: Int, _ detail: String) -> FarAnswer {
    FarAnswer(
      status, type: "application/problem+json",
      #"{"type":"about:blank","title":"refused","status":\#(status),"detail":"\#(detail)"}"#)
  }
}

package struct Registration: Codable, Hashable, Sendable {
  /// The numbers of registrations begin at 1.
  package var number: Int
  package var at: Duration
  package var bodySHA256: String
  package var document: RegisteredDocument
}

private struct WantedUpload: Decodable {
  var id: String
  var sha256: String?
}

/// The members of a registration's body that the books need (docs/backend.md, "The request").
package struct RegisteredDocument: Codable, Hashable, Sendable {
  package struct File: Codable, Hashable, Sendable {
    package var path: String
    package var key: String
    package var size: Int
  }

  /// The id of the registration: the job's, or one of its own.
  package var id: String
  /// The job's id, if the registration has one of its own.
  package var replaces: String?
  package var bucket: String
  package var link: String?
  /// The key of its object, or the beginning of the keys of a group.
  package var key: String
  package var name: String
  package var spool: String
  package var size: Int
  package var sha256: String?
  package var files: [File]?

  /// The job's id, which its object has too.
  package var job: String { replaces ?? id }

  /// The same with the bucket and the key of a granted upload, which only its link has.
  fileprivate var located: RegisteredDocument {
    guard bucket.isEmpty, let parts = link?.split(separator: "/", maxSplits: 3), parts.count == 4 else { return self }
    var document = self
    (document.bucket, document.key) = (String(parts[2]), String(parts[3]))
    return document
  }
}
