import HTTPTransfer
import Jobs
import Messages
import OpenSSL
import XML

/// Roles that AWS's Security Token Service lets assume ("AssumeRole", "AssumeRoleWithWebIdentity" in its API reference).
extension KeyFetcher {
  private static let version = "2011-06-15"

  func assume(_ role: AWSRole, by keys: SigningKey) async throws(KeyFault) -> FetchedCredential {
    let place = STSAddress(role)
    let body = form("AssumeRole", role, ("ExternalId", role.externalID))
    let signer = SigV4Signer(region: place.region, service: "sts")
    let headers = signer.headers(
      method: "POST", host: place.host, path: place.path[...], headers: [Self.type],
      payloadHash: Hex.text(SHA256.hash(data: body)), key: keys, time: now())
    return try await ask(place, headers, body, role, hiding: SecretMask(keys.secrets))
  }

  /// Assumes a role with the token of an OpenID Connect provider, which needs no signature.
  func assume(_ role: AWSRole, _ token: Secret) async throws(KeyFault) -> FetchedCredential {
    try await ask(
      STSAddress(role), [Self.type], form("AssumeRoleWithWebIdentity", role, ("WebIdentityToken", token.text)), role,
      hiding: SecretMask([token.text]))
  }

  private static let type = HTTPHeader("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")

  private func form(_ action: String, _ role: AWSRole, _ more: (String, String?)) -> [UInt8] {
    OwnTransport.form([
      ("Action", action), ("Version", Self.version), ("RoleArn", role.arn),
      ("RoleSessionName", role.sessionName ?? "waybill"), ("DurationSeconds", role.seconds), more,
    ])
  }

  private func ask(
    _ address: STSAddress, _ headers: [HTTPHeader], _ body: [UInt8], _ role: AWSRole, hiding mask: SecretMask
  ) async throws(KeyFault) -> FetchedCredential {
    let place = Message.stsHost(host: address.host)
    let response = try await send(
      HTTPRequest(
        RequestShape(method: "POST", connectTimeout: OwnTransport.timeout, totalTimeout: OwnTransport.timeout),
        url: address.url, headers: headers, body: .bytes(body)), to: place)
    let answer = XMLElement.parse(response.body)
    guard response.status == 200 else {
      let error = answer?["Error"] ?? answer
      let parts = [error?["Code"]?.text, error?["Message"]?.text].compactMap(\.self)
      let why: Message =
        parts.isEmpty
        ? .httpStatus(status: response.status)
        : .text(BoundedText.of(mask.hiding(in: parts.joined(separator: ": "))))
      throw KeyFault(
        .gaveNoRole(place: place, role: DisplayText.escape(role.arn), why: why), remedy: .seeTrustPolicy)
    }
    let keys = answer?.children.lazy.compactMap { $0["Credentials"] }.first
    let values = (keys?.children ?? []).map { ($0.name, $0.text) }
    return try FetchedCredential(Dictionary(values) { first, _ in first }, from: place)
  }
}

struct STSAddress: Hashable {
  let url: String
  let host: String
  let path: String
  let region: String

  init(_ role: AWSRole) {
    let partition = role.region.map { AWSPartition.of(region: $0) } ?? AWSPartition.of(arn: role.arn)
    region = role.region ?? partition.globalRegion
    var address = role.endpoint ?? "https://" + Self.host(role.region, partition)
    while address.hasSuffix("/") { address.removeLast() }
    let rest = address.split(separator: "://", maxSplits: 1).last ?? ""
    let authority = rest.prefix { $0 != "/" }
    host = Self.withoutDefaultPort(authority, scheme: address.prefix { $0 != ":" })
    path = String(rest.dropFirst(authority.count)) + "/"
    url = address + "/"
  }

  /// Returns the host of STS in a region. Without a region it is the global host, which only the standard partition has ("AWS
  /// Security Token Service endpoints and quotas" in the AWS General Reference; the rules of AWS's SDKs).
  private static func host(_ region: String?, _ partition: AWSPartition) -> String {
    if region == nil, partition.name == "aws" { return "sts.\(partition.suffix)" }
    return "sts.\(region ?? partition.globalRegion).\(partition.suffix)"
  }

  /// Returns the host as libcurl sends it.
  private static func withoutDefaultPort(_ authority: Substring, scheme: Substring) -> String {
    let port = scheme.lowercased() == "http" ? ":80" : ":443"
    return authority.hasSuffix(port) ? String(authority.dropLast(port.count)) : String(authority)
  }
}
