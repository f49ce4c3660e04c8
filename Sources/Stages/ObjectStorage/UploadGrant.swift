import HTTPTransfer
import Jobs
import Messages
import Settings

/// The answer of a backend that grants an upload: where the bytes go, and the link to them. The query of each URL in it is a secret.
struct UploadGrant: Sendable {
  /// A request that the grant allows.
  struct Call: Hashable, Sendable {
    let method: String
    let url: String
  }

  private static let mostHeaders = 100
  /// The maximum number of bytes of a locator, as of a link that a person names.
  private static let longestLocator = 2048
  /// Headers that Waybill sets, or HTTP itself.
  private static let ownHeaders: Set = [
    "host", "content-length", "transfer-encoding", "connection", "expect", "te", "trailer", "upgrade", "keep-alive",
  ]

  /// The request with all bytes, or with the list of the parts' ETags.
  let call: Call
  /// The number of bytes of each part but the last, and the URLs for their PUTs; nil for an upload in one request.
  let parts: (size: Int64, urls: [String])?
  /// True if the list of the ETags is JSON, and not S3's XML.
  let isJSON: Bool
  /// The headers of the request with the bytes, or of each part.
  let headers: [HTTPHeader]
  /// The time from which on the URLs are refused; nil if it is not known.
  let expiresAt: Timestamp?
  /// The link to the object.
  let locator: String
  /// A URL that shows the object to HEAD; nil for none.
  let headURL: String?

  /// Reads the answer. Unknown members are ignored.
  /// - Throws: a fault of the backend that names the member.
  init(_ answer: [UInt8], size: Int64, _ settings: GrantedSettings, now: Timestamp) throws(Failure) {
    // Ignored: the fault is that it cannot be read.
    guard let members = try? JSONReader.answer(answer).object() else { throw settings.fault("JSON", .grantUnfit) }
    let grant = Object(members: members, path: "", settings: settings)
    locator = try grant.text("locator")
    guard locator.utf8.count <= Self.longestLocator else { throw settings.fault("locator", .grantUnfit) }
    if let parts = try grant.object("parts") {
      guard let complete = try grant.object("complete") else { throw settings.fault("complete", .grantUnfit) }
      self.parts = try parts.parts(of: size)
      call = try complete.call(["POST", "PUT"])
      isJSON = try complete.choice("body", ["xml", "json"]) == "json"
    } else {
      call = try grant.call(["PUT", "POST"])
      (parts, isJSON) = (nil, false)
    }
    headers = try grant.object("headers").map { (object) throws(Failure) in try object.headers() } ?? []
    headURL = grant["head_url"] == nil ? nil : try grant.url(grant["head_url"], "head_url")
    expiresAt = try grant.end(now)
    if let expiresAt, expiresAt <= now {
      throw settings.fault("expires_at", .grantOver(end: expiresAt.rfc3339, now: now.rfc3339))
    }
  }

  /// An object of the answer, or the answer itself.
  private struct Object {
    let members: JSONObject
    /// The path of the object's members: `complete.`, or empty.
    let path: String
    let settings: GrantedSettings

    /// A member; nil if it is null, or not there.
    subscript(name: String) -> JSONNode? {
      var members = members
      return members.optional(name)
    }

    func fault(_ name: String, _ fault: Message = .grantUnfit) -> Failure { settings.fault(path + name, fault) }

    func text(_ name: String) throws(Failure) -> String {
      guard case .text(let text)? = self[name], !text.isEmpty,
        text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
      else { throw fault(name) }
      return text
    }

    func object(_ name: String) throws(Failure) -> Object? {
      guard let node = self[name] else { return nil }
      guard case .object(let members) = node else { throw fault(name) }
      return Object(members: members, path: path + name + ".", settings: settings)
    }

    /// Returns one of these words, the first by default.
    func choice(_ name: String, _ words: [String]) throws(Failure) -> String {
      guard self[name] != nil else { return words[0] }
      let word = try text(name)
      guard words.contains(word) else { throw fault(name) }
      return word
    }

    func call(_ methods: [String]) throws(Failure) -> Call {
      Call(method: try choice("method", methods), url: try url(self["url"], "url"))
    }

    func url(_ node: JSONNode?, _ name: String) throws(Failure) -> String {
      guard case .text(let text)? = node else { throw fault(name) }
      // Ignored: the fault does not show the text, which may have a password.
      guard let address = try? WebAddress(text) else { throw fault(name, .grantUrl) }
      guard settings.allows(address.host) else { throw fault(name, .grantHost(host: BoundedText.of(address.host))) }
      guard address.scheme == "https" || settings.uploadURL.lowercased().hasPrefix("http://") else {
        throw fault(name, .grantPlain)
      }
      return text
    }

    func parts(of size: Int64) throws(Failure) -> (size: Int64, urls: [String]) {
      // Ignored: the fault is that it is no such number.
      guard let partSize = try? self["size"]?.integer(), partSize > 0 else { throw fault("size") }
      guard case .array(let nodes)? = self["urls"], nodes.count <= PartPlan.most else { throw fault("urls") }
      let wanted = PartPlan(size: size, partSize: partSize).count
      guard nodes.count == wanted else { throw fault("urls", .grantParts(count: nodes.count, wanted: wanted)) }
      return (partSize, try nodes.map { (node) throws(Failure) in try url(node, "urls") })
    }

    func headers() throws(Failure) -> [HTTPHeader] {
      guard members.members.count <= UploadGrant.mostHeaders else { throw settings.fault("headers", .grantUnfit) }
      var headers: [HTTPHeader] = []
      for member in members.members {
        let name = member.name
        guard case .text(let value) = member.value, name.isHeaderName,
          !UploadGrant.ownHeaders.contains(name.lowercased()),
          value.unicodeScalars.allSatisfy({ $0 == "\t" || $0.properties.generalCategory != .control })
        else { throw settings.fault("headers", .grantHeader(header: BoundedText.of(name))) }
        headers.append(HTTPHeader(name, value))
      }
      return headers
    }

    /// Returns the time from which on the URLs are refused.
    func end(_ now: Timestamp) throws(Failure) -> Timestamp? {
      if self["expires_at"] != nil {
        guard let time = Timestamp(rfc3339: try text("expires_at")) else { throw fault("expires_at") }
        return time
      }
      guard let node = self["expires_in"] else { return nil }
      // Ignored: the fault is that it is no such number.
      guard let seconds = try? node.double(), (0...1e9).contains(seconds) else { throw fault("expires_in") }
      return now + .milliseconds(Int64(seconds * 1000))
    }
  }
}

extension GrantedSettings {
  /// A fault of the backend in what it grants.
  func fault(_ member: String, _ fault: Message) -> Failure {
    var failure = Failure(.destination, .grantFault(member: member, fault: fault))
    failure.grantor = .backend(backend)
    return failure
  }
}

/// The meaning of an answer of the granted host.
extension UploadGrant {
  /// An answer that is no success.
  struct Refusal: FailureConvertible {
    let failure: Failure
    /// True if the host refuses the URL because its time is over.
    let isOfTime: Bool
  }

  /// The codes of a URL whose time may be over: S3, Google and Azure.
  private static let ends: Set = ["ExpiredToken", "AuthenticationFailed"]

  /// Returns the reason why an answer is no success; nil for 200, 201 or 204 without an error in the body.
  /// - Parameter count: the number of bytes that the request had to send.
  func refusal(_ response: HTTPResponse, to call: Call, sending count: Int64, now: Timestamp) -> Refusal? {
    let error = S3ErrorBody(response.body, ofAnyRoot: response.status >= 300)
    let isPage = response.isHTML && response.hasBody && response.status == 200
    if [200, 201, 204].contains(response.status), error == nil, !isPage {
      guard response.bytesSent < count else { return nil }
      let doubt = Message.doubtEarly(sent: response.bytesSent, count: count)
      let words = Message.notAStorage(status: response.status, method: call.method, doubt: doubt)
      let failure = Failure(.destination, words, status: response.status, mayHaveActed: true)
      return Refusal(failure: failure, isOfTime: false)
    }
    let answer = StatusError(response, error, now: now, hiding: mask(of: call.url))
    var failure = answer.failure
    if failure.kind == .rejected, let code = error?.code {
      failure.kind = S3Code.kind(code, status: answer.status, error: error) ?? .rejected
    }
    // There is no key here that could be replaced.
    if failure.kind == .credentials || answer.status == 403 { failure.kind = .destination }
    guard [400, 401, 403].contains(answer.status) else { return Refusal(failure: failure, isOfTime: false) }
    let says = Self.ends.contains(error?.code ?? "") || error?.message?.contains("expired") ?? false
    return Refusal(failure: failure, isOfTime: says || isOver(now))
  }

  func isOver(_ now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// A mask for a URL's query and the values in it, and for headers that look like a secret.
  private func mask(of url: String) -> SecretMask {
    let query = url.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
    // Shorter values are no signatures, and are words of many a message.
    let values = query.split(separator: "&").map { $0.drop { $0 != "=" }.dropFirst() }.filter { $0.utf8.count >= 16 }
    let secrets = [String(query)] + values.flatMap { [String($0), PercentEncoding.decoded(String($0))] }
    let pairs = headers.map { ($0.name, $0.value) }
    return SecretMask(secrets + SecretMask.secrets(of: Dictionary(pairs, uniquingKeysWith: { first, _ in first })))
  }
}
