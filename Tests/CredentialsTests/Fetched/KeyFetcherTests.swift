import ChildProcesses
import Foundation
import HTTPTransfer
import Jobs
import LoopbackPeer
import Messages
import Testing

@testable import Credentials

/// All that the servers of AWS's key chain may answer: each is keys, or a reason in words. None is waited for without end.
@Suite(.slot, .bounded) struct KeyFetcherTests {
  private static let now = Timestamp(year: 2026, month: 11, day: 21)
  private static let good =
    #"{"Code":"Success","AccessKeyId":"A","SecretAccessKey":"s","Token":"t","Expiration":"2026-11-21T06:00:00Z"}"#

  private func fetch(_ source: AWSKeySource) async -> Result<FetchedCredential, KeyFault> {
    await result { () async throws(KeyFault) in
      try await KeyFetcher(environment: [:], now: { Self.now }).keys(source)
    }
  }

  private func words(_ result: Result<FetchedCredential, KeyFault>) -> String {
    let failure = #expect(throws: KeyFault.self) { try result.get() }
    return [failure?.message, failure?.advice].compactMap { $0?.text }.joined(separator: "; ")
  }

  private static let noKeys: [(String, String)] = [
    ("", ""), ("words", ""), ("[]", ""), ("null", ""), ("{", ""), ("\u{0}\u{1}", ""), ("<html></html>", ""),
    ("{}", "no valid AccessKeyId"), (#"{"AccessKeyId":"A"}"#, "no valid SecretAccessKey"),
    (#"{"AccessKeyId":"","SecretAccessKey":"s"}"#, "no valid AccessKeyId"),
    (#"{"AccessKeyId":"A\nB","SecretAccessKey":"s"}"#, "no valid AccessKeyId"),
    (#"{"AccessKeyId":"A","SecretAccessKey":"s","Token":"a\u0000"}"#, "no valid SessionToken"),
    (#"{"AccessKeyId":7,"SecretAccessKey":"s"}"#, ""),
    (#"{"AccessKeyId":null,"SecretAccessKey":"s"}"#, "no valid AccessKeyId"),
    (#"{"AccessKeyId":"A","SecretAccessKey":"s","Expiration":"soon"}"#, "an Expiration that is not a time"),
    (#"{"AccessKeyId":"A","SecretAccessKey":"s","Expiration":12345}"#, ""),
  ]

  @Test func rereadsContainerTokenForEachRequest() async throws {
    let folder = try TemporaryFolder()
    let peer = try LoopbackPeer { _ in .answer(200, [:], Self.good) }
    let source = AWSKeySource.container(url: "\(peer.url)/v1/credentials", token: .file(folder.file("token")))
    #expect(words(await fetch(source)).contains("cannot read \(folder.file("token"))"))
    #expect(peer.requests.isEmpty)
    for token in ["one", "two"] {
      try folder.write("token", token + "\n")
      let keys = try await fetch(source).get()
      #expect(keys.profile?.accessKey == "A" && keys.profile?.sessionToken == "t")
      #expect(keys.expires == Self.now + .seconds(6 * 3600))
    }
    #expect(peer.requests.map { $0["Authorization"] } == ["one", "two"])
    #expect(peer.requests.allSatisfy { $0.method == "GET" && $0.target == "/v1/credentials" })
    try folder.write("token", "a\nX-Evil: b\n")
    #expect(words(await fetch(source)).contains("has a line break"))
    #expect(peer.requests.count == 2)
  }

  @Test(
    arguments: noKeys + [
      (#"{"code":"AccessDenied","message":"no role"}"#, "no valid AccessKeyId"),
      (#"{"Code":"AccessDeniedException","Message":"no association"}"#, "gave no keys: no association"),
    ]) func reportsInvalidContainerKeys(_ body: String, _ said: String) async throws
  {
    let peer = try LoopbackPeer { _ in .answer(200, [:], body) }
    let told = words(await fetch(.container(url: peer.url + "/c", token: nil)))
    #expect(
      told.contains("container credentials endpoint \(peer.url)/c") && (said.isEmpty || told.contains(said)), "\(told)")
  }

  @Test(arguments: [301, 400, 401, 403, 404, 429, 500, 503]) func reportsContainerRefusal(_ status: Int)
    async throws
  {
    let peer = try LoopbackPeer { _ in .answer(status, [:], #"{"Message":"not for you"}"#) }
    let told = words(await fetch(.container(url: peer.url, token: nil)))
    #expect(told.contains("answered HTTP \(status): not for you") && told.contains("see the role"), "\(told)")
  }

  /// An instance's service; the step that is named answers otherwise.
  private func instance(_ step: String = "", _ reply: LoopbackPeer.Reply = .cut) throws -> LoopbackPeer {
    try LoopbackPeer { request in
      let kind =
        switch (request.method, request.target) {
        case ("PUT", "/latest/api/token"): "token"
        case ("GET", "/latest/meta-data/iam/security-credentials/"): "role"
        case ("GET", "/latest/meta-data/iam/security-credentials/the-role"): "keys"
        default: "other"
        }
      if kind == step { return reply }
      switch kind {
      case "token":
        return request["X-aws-ec2-metadata-token-ttl-seconds"] == nil ? .answer(400) : .answer(200, [:], "session")
      case "role" where request["X-aws-ec2-metadata-token"] == "session": return .answer(200, [:], "the-role\n")
      case "keys" where request["X-aws-ec2-metadata-token"] == "session": return .answer(200, [:], Self.good)
      default: return .answer(401)
      }
    }
  }

  @Test func fetchesInstanceKeysWithIMDSv2() async throws {
    let peer = try instance()
    let keys = try await fetch(.instanceMetadata(endpoint: peer.url)).get()
    #expect(keys.profile?.sessionToken == "t" && keys.expires != nil)
    #expect(peer.requests.map(\.method) == ["PUT", "GET", "GET"])
  }

  /// A hop limit of 1 in a container: the answer to the first request never arrives.
  @Test(
    arguments: ["token", "role", "keys"],
    [
      .hold, .cut, .raw([], .close), .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab".utf8), .hold),
      .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n".utf8), .drip([0x61, 0x62, 0x63, 0x64])),
    ] as [LoopbackPeer.Reply]) func instanceTimeoutSuggestsHopLimit(
      _ step: String, _ reply: LoopbackPeer.Reply
    ) async throws
  {
    let peer = try instance(step, reply)
    let told = words(await fetch(.instanceMetadata(endpoint: peer.url)))
    #expect(told.contains("the instance metadata service at \(peer.url) cannot be reached"), "\(told)")
    #expect(told.contains("raise the hop limit to 2"), "\(told)")
  }

  @Test(arguments: ["token", "role", "keys"], [400, 401, 403, 404, 500, 503])
  func reportsInstanceRefusal(_ step: String, _ status: Int) async throws {
    let peer = try instance(step, .answer(status, [:], "no"))
    let told = words(await fetch(.instanceMetadata(endpoint: peer.url)))
    #expect(told.contains("answered HTTP \(status)"), "\(told)")
    #expect(told.contains(status == 404 ? "attach an instance profile" : "is switched on"), "\(told)")
  }

  @Test(
    arguments: [
      ("token", "", "answered HTTP 200"), ("token", "a\u{1}b", "not text"), ("role", "\n\n", "names no role"),
      ("role", "../../user-data", "names no role"), ("role", "a b", "names no role"), ("role", "rôle", "names no role"),
      ("keys", #"{"Code":"Failed","Message":"no trust"}"#, "Failed: no trust; see the trust policy"),
      ("keys", #"{"Code":"AssumeRoleUnauthorizedAccess"}"#, "AssumeRoleUnauthorizedAccess"),
    ] + noKeys.map { ("keys", $0.0, $0.1) })
  func reportsInvalidInstanceKeys(_ step: String, _ body: String, _ said: String) async throws {
    let peer = try instance(step, .answer(200, [:], body))
    let told = words(await fetch(.instanceMetadata(endpoint: peer.url)))
    #expect(told.contains("instance metadata service") && (said.isEmpty || told.contains(said)), "\(told)")
  }

  private static func role(_ endpoint: String) -> AWSRole {
    AWSRole(
      arn: "arn:aws:iam::1:role/up", externalID: "ex&ternal", seconds: "900", region: "eu-central-1", endpoint: endpoint
    )
  }

  @Test(
    arguments: [
      (nil, "aws", "sts.amazonaws.com", "us-east-1"),
      ("eu-west-1", "aws", "sts.eu-west-1.amazonaws.com", "eu-west-1"),
      ("us-east-1", "aws", "sts.us-east-1.amazonaws.com", "us-east-1"),
      (nil, "aws-us-gov", "sts.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
      ("cn-north-1", "aws-cn", "sts.cn-north-1.amazonaws.com.cn", "cn-north-1"),
      ("eusc-de-east-1", "aws-eusc", "sts.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"),
      (nil, "aws-eusc", "sts.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1"),
      ("us-iso-east-1", "aws-iso", "sts.us-iso-east-1.c2s.ic.gov", "us-iso-east-1"),
    ] as [(String?, String, String, String)])
  func stsEndpointFollowsRegionAndRole(
    _ region: String?, _ partition: String, _ host: String, _ signed: String
  ) {
    var role = AWSRole(arn: "arn:\(partition):iam::1:role/up", region: region)
    let address = STSAddress(role)
    #expect(address.host == host && address.url == "https://\(host)/" && address.region == signed)
    role.endpoint = "https://sts.example.com"
    #expect(STSAddress(role).host == "sts.example.com" && STSAddress(role).region == signed)
  }

  private static func document(_ keys: String) -> String {
    "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult><Credentials>\(keys)"
      + "</Credentials></AssumeRoleResult></AssumeRoleResponse>"
  }

  private static func base() throws -> AWSKeySource {
    .fixed(SigningKey(accessKey: "BASE", secret: "s"))
  }

  @Test func assumesChainedRolesWithExternalID() async throws {
    let peer = try LoopbackPeer { _ in
      .answer(
        200, [:],
        Self.document(
          "<AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
            + "<Expiration>2026-11-21T00:15:00Z</Expiration>"))
    }
    let source = AWSKeySource.assumedRole(
      Self.role(peer.url), by: .assumedRole(Self.role(peer.url), by: try Self.base()))
    let keys = try await fetch(source).get()
    #expect(keys.profile?.sessionToken == "t" && keys.expires == Self.now + .seconds(900))
    #expect(peer.requests.count == 2)
    #expect(peer.requests[0]["Authorization"]?.contains("Credential=BASE/20261121/eu-central-1/sts/") == true)
    #expect(peer.requests[1]["Authorization"]?.contains("Credential=A/") == true)
    #expect(peer.requests[1]["x-amz-security-token"] == "t")
    let form = String(decoding: peer.requests[0].body, as: UTF8.self)
    #expect(form.contains("Action=AssumeRole&") && form.contains("ExternalId=ex%26ternal"), "\(form)")
  }

  @Test(arguments: [
    (
      403, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>",
      "AccessDenied: no"
    ),
    (400, "<ErrorResponse><Error><Code>ExpiredTokenException</Code></Error></ErrorResponse>", "ExpiredTokenException"),
    (400, "<Error><Code>InvalidIdentityToken</Code></Error>", "InvalidIdentityToken"),
    (400, "", "HTTP 400"), (500, "<html>oops</html>", "HTTP 500"), (503, "words", "HTTP 503"), (302, "", "HTTP 302"),
    (200, "", "no valid AccessKeyId"), (200, "words", "no valid AccessKeyId"), (200, "{}", "no valid AccessKeyId"),
    (200, "<a/>", "no valid AccessKeyId"), (200, "<a><b>", "no valid AccessKeyId"),
    (200, document(""), "no valid AccessKeyId"),
    (200, document("<AccessKeyId>A</AccessKeyId>"), "no valid SecretAccessKey"),
    (
      200,
      document("<AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><Expiration>soon</Expiration>"),
      "an Expiration that is not a time"
    ),
  ]) func reportsInvalidSTSResponse(_ status: Int, _ body: String, _ said: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write("token", "jwt")
    let peer = try LoopbackPeer { _ in .answer(status, [:], body) }
    let role = Self.role(peer.url)
    for source in [.assumedRole(role, by: try Self.base()), .webIdentity(tokenFile: folder.file("token"), role)]
      as [AWSKeySource]
    {
      let told = words(await fetch(source))
      #expect(told.contains("STS at 127.0.0.1") && (said.isEmpty || told.contains(said)), "\(told)")
      #expect(!told.contains("jwt"))
    }
  }

  @Test func rereadsWebIdentityTokenWithoutWaiting() async throws {
    let role = Self.role("http://127.0.0.1:1")
    for path in ["/nonexistent/token", "/dev/null", "/"] {
      let told = words(await fetch(.webIdentity(tokenFile: path, role)))
      #expect(told.contains("cannot read \(path): "), "\(told)")
    }
    let folder = try TemporaryFolder()
    try folder.write("token", "jwt")
    let told = words(await fetch(.webIdentity(tokenFile: folder.file("token"), role)))
    #expect(told.contains("STS at 127.0.0.1:1 cannot be reached"), "\(told)")
  }
}
