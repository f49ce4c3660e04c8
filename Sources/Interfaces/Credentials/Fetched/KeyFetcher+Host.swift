import HTTPTransfer
import Jobs
import Messages

extension KeyFetcher {
  /// See "Container credential provider" in the AWS SDKs and Tools Reference Guide.
  func container(_ url: String, _ token: CredentialSource?) async throws(KeyFault) -> FetchedCredential {
    var headers = [HTTPHeader("Accept", "application/json")]
    if let token { headers.append(HTTPHeader("Authorization", try self.token(token).text)) }
    let mask = SecretMask(headers.dropFirst().map(\.value))
    let place = Message.containerEndpoint(url: DisplayText.escape(url))
    let response = try await send(
      HTTPRequest(
        RequestShape(
          method: "GET", connectTimeout: Self.metadataTimeout, totalTimeout: OwnTransport.timeout,
          isDirect: NearbyHost(url) != nil), url: url, headers: headers), to: place)
    let answer = KeysInJSON(response.body)
    let said = answer?.message.map { BoundedText.of(mask.hiding(in: $0)) }
    guard response.status == 200, let answer else {
      throw KeyFault(.answered(place: place, answer: .httpStatus(response, said: said)), remedy: .seeTaskRole)
    }
    if !answer.hasKeys, let said { throw KeyFault(.gaveNoKeysSaid(place: place, said: said), remedy: .seeTaskRole) }
    return try answer.keys(from: place)
  }

  /// See "Use the Instance Metadata Service to access instance metadata" in the EC2 User Guide (IMDSv2).
  func instance(_ endpoint: String) async throws(KeyFault) -> FetchedCredential {
    let place = Message.instanceMetadata(url: DisplayText.escape(endpoint))
    let session = try await metadata(
      "PUT", "\(endpoint)/latest/api/token", HTTPHeader("X-aws-ec2-metadata-token-ttl-seconds", "21600"), place)
    let token = HTTPHeader("X-aws-ec2-metadata-token", session)
    let roles = "\(endpoint)/latest/meta-data/iam/security-credentials/"
    let role = try await metadata("GET", roles, token, place).split(whereSeparator: \.isNewline).first ?? ""
    guard !role.isEmpty, role.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
      throw KeyFault(.namesNoRole(place: place), remedy: .attachInstanceProfile)
    }
    let body = try await metadata("GET", roles + role, token, place)
    guard let answer = KeysInJSON(Array(body.utf8)) else { throw KeyFault(.gaveNoKeys(place: place)) }
    if let code = answer.code, code != "Success" {
      let words = answer.message.map { ": \($0)" } ?? ""
      let said = BoundedText.of(SecretMask([session]).hiding(in: code + words))
      throw KeyFault(
        .gaveNoKeysForRole(place: place, role: String(role), said: said), remedy: .seeTrustPolicy)
    }
    return try answer.keys(from: place)
  }

  private func metadata(
    _ method: String, _ url: String, _ header: HTTPHeader, _ place: Message
  ) async throws(KeyFault) -> String {
    let request = HTTPRequest(
      RequestShape(
        method: method, connectTimeout: Self.metadataTimeout, totalTimeout: Self.metadataTimeout,
        isDirect: NearbyHost(url) != nil), url: url, headers: [header])
    let response = try await send(request, to: place, remedy: .raiseHopLimit)
    guard response.status == 200, !response.body.isEmpty else {
      throw KeyFault(
        .answered(place: place, answer: .httpStatus(status: response.status)),
        remedy: response.status == 404 ? .attachInstanceProfile : .seeMetadataIsOn)
    }
    let text = String(decoding: response.body, as: UTF8.self)
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || $0 == "\n" || $0 == "\r" || $0 == "\t" }) else {
      throw KeyFault(.gaveNoText(place: place))
    }
    return text
  }
}
