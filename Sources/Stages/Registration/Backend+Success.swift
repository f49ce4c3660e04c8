import FoundationEssentials
import HTTPTransfer
import Jobs
import Messages
import Settings

extension BackendSettings {
  /// Returns true if an answer other than 2xx means that the registration exists: a 409, if `conflict` says so. With Retry-After
  /// the first request is still in progress.
  func meansRegistered(_ error: StatusError) -> Bool {
    error.status == 409 && error.retryAfter == nil && conflict == .registered
  }
}

extension BackendSettings.Success {
  /// Returns the failure if a 2xx is not a success; nil if it is one.
  ///
  /// HTML is a fault of the destination, because every other job would get it too: web servers and portals send a page in answer to any
  /// request. JSON with the member that must be true is no page, whatever its type says. Any other unmet condition concerns only this
  /// registration.
  func failure(of response: HTTPResponse, hiding mask: SecretMask) -> Failure? {
    let status = response.status
    let lack = lack(in: response)
    if response.isHTML, response.hasBody, member == nil || lack != nil {
      return Failure(
        .destination,
        .backendPage(status: status), status: status, mayHaveActed: true)
    }
    guard let lack else { return nil }
    let message = ServerMessage.find(in: response, hiding: mask)
    return Failure(
      .rejected,
      message.map { .backendLacksSaid(status: status, lack: lack, said: $0) }
        ?? .backendLacks(status: status, lack: lack), status: status,
      mayHaveActed: true)
  }

  private func lack(in response: HTTPResponse) -> String? {
    if let statuses, !statuses.contains(response.status) {
      return "success.status has only \(statuses.sorted().map(String.init).joined(separator: ", "))"
    }
    guard let member else { return nil }
    let name = member.joined(separator: ".")
    switch response.bodyTruncated ? nil : JSONMember.value(at: member, in: response.body) {
    case .bool(true): return nil
    case .bool(false): return "\(name) is false"
    case .other: return "\(name) is not true"
    case .absent: return "its JSON has no \(name)"
    case nil: return "it is not a JSON object with \(name) in it"
    }
  }
}

/// A member of a JSON object, which a path of names leads to.
private enum JSONMember {
  case bool(Bool)
  case other
  case absent

  /// Returns nil if the body is not a JSON object.
  static func value(at path: [String], in body: [UInt8]) -> JSONMember? {
    let decoder = JSONDecoder()
    decoder.userInfo[Walk.path] = path
    // An unreadable body has no such member; the caller reports that.
    return try? decoder.decode(Walk.self, from: Data(body)).found
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Walk: Decodable {
    static let path = CodingUserInfoKey(rawValue: "path") ?? { preconditionFailure("a key may have any text") }()
    let found: JSONMember

    init(from decoder: any Decoder) throws {
      let path = decoder.userInfo[Self.path] as? [String] ?? []
      var object = try decoder.container(keyedBy: Name.self)
      for name in path.dropLast() {
        guard let inner = try? object.nestedContainer(keyedBy: Name.self, forKey: Name(stringValue: name)) else {
          found = .absent
          return
        }
        object = inner
      }
      guard let last = path.last.map(Name.init(stringValue:)), object.contains(last) else {
        found = .absent
        return
      }
      found = (try? object.decode(Bool.self, forKey: last)).map { .bool($0) } ?? .other
    }
  }
}
