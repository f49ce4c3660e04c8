import HTTPTransfer
import Jobs
import Messages
import Settings

extension BackendSettings {
  /// Returns true if an answer other than 2xx means that the registration exists: a 409, if `conflict` says so. With Retry-After, of any
  /// form, the first request is still in progress. A page comes from a portal.
  func meansRegistered(_ answer: HTTPResponse) -> Bool {
    answer.status == 409 && conflict == .registered && answer.headers.count(of: "Retry-After") == 0
      && !(answer.isHTML && (answer.beginsWithTag || answer.bodyTruncated))
  }
}

extension BackendSettings.Success {
  /// Returns the failure if a 2xx is not a success; nil if it is one.
  ///
  /// HTML is a fault of the destination, because every other job would get it too. Content that meets the conditions is no page, whatever
  /// its type says. Any other unmet condition concerns only this registration.
  func failure(of response: HTTPResponse, hiding mask: SecretMask) -> Failure? {
    let status = response.status
    let lack = lack(in: response)
    if response.isHTML, response.hasBody, !readsContent || lack != nil {
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

  private func lack(in response: HTTPResponse) -> Message? {
    if let statuses, !statuses.contains(response.status) {
      return .lacksStatus(statuses: statuses.sorted().map(String.init).joined(separator: ", "))
    }
    if let text {
      let said = String(decoding: response.body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      if response.bodyTruncated || said != text.split(whereSeparator: \.isWhitespace) { return .lacksText(text: text) }
    }
    guard let first = members.first else { return nil }
    // Ignored: an unreadable body has no such member.
    guard !response.bodyTruncated, let object = try? JSONReader.answer(response.body).object() else {
      return .lacksObject(member: first.name)
    }
    return members.lazy.compactMap { $0.lack(in: object) }.first
  }
}

extension BackendSettings.Member {
  fileprivate var name: String { path.joined(separator: ".") }

  fileprivate func lack(in object: JSONObject) -> Message? {
    switch (Self.value(at: path, in: object), value) {
    case (nil, .array), (.null?, .array): return nil
    case (.array(let elements)?, .array) where elements.isEmpty: return nil
    case (_, .array), (_, .object): return .memberIsNotEmpty(member: name)
    case (nil, _): return .lacksMember(member: name)
    case (.text(let said)?, .text(let text)) where said == text: return nil
    case (.number(let said)?, .constant(let json)) where Double(said) == Double(json): return nil
    case (.flag(let said)?, .constant(let json)) where "\(said)" == json: return nil
    case (.flag(false)?, .constant("true")): return .memberIsFalse(member: name)
    case (_, .constant(let shown)), (_, .text(let shown)): return .memberIsNot(member: name, value: shown)
    }
  }

  private static func value(at path: [String], in object: JSONObject) -> JSONNode? {
    var value = JSONNode.object(object)
    for name in path {
      guard case .object(let object) = value, let member = object.members.first(where: { $0.name == name }) else {
        return nil
      }
      value = member.value
    }
    return value
  }
}
