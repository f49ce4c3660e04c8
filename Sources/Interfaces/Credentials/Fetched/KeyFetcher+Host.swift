import HTTPTransfer
import Jobs

/// Keys from the endpoint beside a container, and from that of an instance.
extension KeyFetcher {
  /// See "Container credential provider" in the AWS SDKs and Tools Reference Guide.
  func container(_ url: String, _ token: AWSContainerToken?) async throws(KeyFault) -> FetchedCredential {
    var headers = [HTTPHeader("Accept", "application/json")]
    switch token {
    case .file(let path):
      headers.append(HTTPHeader("Authorization", try self.token(in: path, "container authorization token").text))
    case .value(let secret): headers.append(HTTPHeader("Authorization", secret.text))
    case nil: break
    }
    let mask = SecretMask(headers.dropFirst().map(\.value))
    func said(_ message: String) -> String { DisplayText.escape(mask.hiding(in: message)) }
    let place = "the container credentials endpoint \(DisplayText.escape(url))"
    let response = try await send(
      HTTPRequest(
        method: "GET", url: url, headers: headers, connectTimeout: Self.metadataTimeout,
        totalTimeout: OwnTransport.timeout,
        proxy: way(to: url)),
      to: place)
    guard response.status == 200, let answer = KeysInJSON(response.body) else {
      let words = KeysInJSON(response.body)?.message.map { ": \(said($0))" } ?? ""
      throw KeyFault(
        "\(place) answered HTTP \(response.status)\(words)",
        remedy: "see the role of the task or of the service account")
    }
    if answer.accessKey == nil, let message = answer.message {
      throw KeyFault(
        "\(place) gave no keys: \(said(message))",
        remedy: "see the role of the task or of the service account")
    }
    return try answer.keys(from: place)
  }

  /// See "Use the Instance Metadata Service to access instance metadata" in the EC2 User Guide (IMDSv2).
  func instance(_ endpoint: String) async throws(KeyFault) -> FetchedCredential {
    let place = "the instance metadata service at \(DisplayText.escape(endpoint))"
    let session = try await metadata(
      "PUT", "\(endpoint)/latest/api/token", HTTPHeader("X-aws-ec2-metadata-token-ttl-seconds", "21600"), place)
    let token = HTTPHeader("X-aws-ec2-metadata-token", session)
    let roles = "\(endpoint)/latest/meta-data/iam/security-credentials/"
    let role = try await metadata("GET", roles, token, place).split(whereSeparator: \.isNewline).first ?? ""
    guard !role.isEmpty, role.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
      throw KeyFault("\(place) names no role", remedy: "attach an instance profile to the instance")
    }
    let body = try await metadata("GET", roles + role, token, place)
    guard let answer = KeysInJSON(Array(body.utf8)) else { throw KeyFault("\(place) gave no keys") }
    if let code = answer.code, code != "Success" {
      let words = answer.message.map { ": \($0)" } ?? ""
      throw KeyFault(
        "\(place) gave no keys for role \(role): \(DisplayText.escape(SecretMask([session]).hiding(in: code + words)))",
        remedy: "see the trust policy of the role")
    }
    return try answer.keys(from: place)
  }

  /// Returns the proxy for a URL; none for an endpoint nearby: a proxy has another metadata service or none, and the answer is a
  /// secret.
  private func way(to url: String) -> Proxy? { NearbyHost(url) == nil ? proxy : .direct }

  /// Asks the metadata service; returns the body as text.
  private func metadata(
    _ method: String, _ url: String, _ header: HTTPHeader, _ place: String
  ) async throws(KeyFault) -> String {
    let request = HTTPRequest(
      method: method, url: url, headers: [header], connectTimeout: Self.metadataTimeout,
      totalTimeout: Self.metadataTimeout, proxy: way(to: url))
    let response: HTTPResponse
    do throws(KeyFault) {
      response = try await send(request, to: place)
    } catch {
      throw KeyFault(
        error.words,
        remedy: "name other keys for access_key; or, in a container on an EC2 instance, raise the hop limit to 2 "
          + "(aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2)")
    }
    guard response.status == 200, !response.body.isEmpty else {
      let remedy =
        response.status == 404
        ? "attach an instance profile to the instance" : "see that instance metadata is switched on"
      throw KeyFault("\(place) answered HTTP \(response.status)", remedy: remedy)
    }
    let text = String(decoding: response.body, as: UTF8.self)
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || $0 == "\n" || $0 == "\r" || $0 == "\t" }) else {
      throw KeyFault("\(place) gave something that is not text")
    }
    return text
  }
}
