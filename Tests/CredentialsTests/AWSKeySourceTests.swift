import ChildProcesses
import Messages
import Testing

@testable import Credentials

/// Which source of keys environment and shared files name: AWS's order of providers as a table.
@Suite struct AWSKeySourceTests {
  private static let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "s"]

  private static func fixed(_ id: String, token: String? = nil) -> AWSKeySource {
    .fixed(SigningKey(accessKey: id, secret: "s", sessionToken: token))
  }

  private func find(
    _ environment: [String: String], config: String = "", credentials: String = ""
  ) throws -> AWSKeySource {
    try find("default", environment, config: config, credentials: credentials)
  }

  private func find(
    _ name: String, _ environment: [String: String], config: String = "", credentials: String = ""
  ) throws -> AWSKeySource {
    try AWSKeySource.find(
      name, AWSKeySource.Environment(values: environment),
      AWSConfiguration(configuration: config, credentials: credentials))
  }

  @Test func chainFollowsProviderOrder() throws {
    let identity = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_ROLE_ARN": "arn:r"]
    let container = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/c"]
    let profile = "[default]\naws_access_key_id = P\naws_secret_access_key = s\n"
    var environment = Self.keys.merging(identity) { $1 }.merging(container) { $1 }
    #expect(try find(environment, credentials: profile) == Self.fixed("AKID"))
    for name in Self.keys.keys { environment[name] = nil }
    #expect(
      try find(environment, credentials: profile) == .webIdentity(tokenFile: "/t", AWSRole(arn: "arn:r")))
    for name in identity.keys { environment[name] = "" }
    #expect(try find(environment, credentials: profile) == Self.fixed("P"))
    // A default profile that only sets a region names no keys.
    #expect(
      try find(environment, config: "[default]\nregion = eu-central-1\n")
        == .container(url: "http://169.254.170.2/v2/c", token: nil))
    #expect(try find([:]) == .instanceMetadata(endpoint: "http://169.254.169.254"))
    #expect(
      try find(["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"])
        == .instanceMetadata(endpoint: "http://[fd00:ec2::254]"))
    #expect(throws: KeyFault.self) { try find(["AWS_EC2_METADATA_DISABLED": "true"]) }
  }

  @Test func assumesRolesThroughProfilesAndSources() throws {
    let config = """
      [profile up]
      role_arn = arn:aws:iam::1:role/up
      source_profile = mid
      external_id = x-1
      role_session_name = host
      duration_seconds = 3600
      s3 =
        max_queue_size = 5
        role_arn = nested
      [profile "mid"]
      role_arn = arn:aws:iam::1:role/mid
      source_profile = base
      region = eu-west-1
      [profile instance]
      role_arn = arn:i
      credential_source = Ec2InstanceMetadata
      [profile pod]
      role_arn = arn:p
      web_identity_token_file = /token
      [profile own]
      role_arn = arn:o
      source_profile = own
      aws_access_key_id = O
      aws_secret_access_key = s
      [profile program]
      credential_process = /usr/bin/keys --for "me too"
      [services up]
      region = nowhere
      """
    let credentials = "[base]\naws_access_key_id = B\naws_secret_access_key = s\naws_session_token = t\n"
    func found(_ name: String, _ environment: [String: String] = [:]) throws -> AWSKeySource {
      try find(name, environment, config: config, credentials: credentials)
    }
    let base = Self.fixed("B", token: "t")
    let middle = AWSKeySource.assumedRole(AWSRole(arn: "arn:aws:iam::1:role/mid", region: "eu-west-1"), by: base)
    let up = AWSRole(arn: "arn:aws:iam::1:role/up", sessionName: "host", externalID: "x-1", seconds: "3600")
    #expect(try found("up") == .assumedRole(up, by: middle))
    #expect(try find(["AWS_PROFILE": "up"], config: config, credentials: credentials) == .assumedRole(up, by: middle))
    #expect(
      try found("instance", ["AWS_ENDPOINT_URL_STS": "http://sts"])
        == .assumedRole(
          AWSRole(arn: "arn:i", endpoint: "http://sts"), by: .instanceMetadata(endpoint: "http://169.254.169.254")))
    #expect(
      try found("pod", ["AWS_REGION": "us-west-2"])
        == .webIdentity(tokenFile: "/token", AWSRole(arn: "arn:p", region: "us-west-2")))
    #expect(try found("own") == .assumedRole(AWSRole(arn: "arn:o"), by: Self.fixed("O")))
    #expect(try found("program") == .process("/usr/bin/keys --for \"me too\""))
  }

  @Test(arguments: [
    ("gone", "", "the AWS profile gone does not exist"),
    (
      "a", "[profile a]\nrole_arn = r\nsource_profile = b\n[profile b]\nrole_arn = r\nsource_profile = a\n",
      "leads back"
    ),
    ("a", "[profile a]\nrole_arn = r\nsource_profile = b\n", "the AWS profile b does not exist"),
    ("a", "[profile a]\nrole_arn = r\nsource_profile = a\n", "the AWS profile a has no keys"),
    ("a", "[profile a]\nrole_arn = r\n", "not exactly one of source_profile"),
    (
      "a", "[profile a]\nrole_arn = r\nsource_profile = b\ncredential_source = Environment\n",
      "not exactly one of source_profile"
    ),
    ("a", "[profile a]\nrole_arn = r\ncredential_source = Environment\n", "which has none"),
    ("a", "[profile a]\nrole_arn = r\ncredential_source = EcsContainer\n", "which is not named"),
    ("a", "[profile a]\nrole_arn = r\ncredential_source = Moon\n", "credential_source that is not known"),
    ("a", "[profile a]\nsso_session = s\n", "has no keys"),
    ("a", "[profile a]\nregion = x\n", "has no keys"),
    ("a", "[profile a]\naws_access_key_id = x\n", "has no aws_secret_access_key"),
    ("a", "[a]\naws_access_key_id = x\naws_secret_access_key = y\n", "the AWS profile a does not exist"),
  ]) func reportsUnusableProfiles(_ name: String, _ config: String, _ words: String) throws {
    let fault = #expect(throws: KeyFault.self) { try find(name, [:], config: config) }
    #expect(fault?.message.text.contains(words) == true, "\(fault?.message.text ?? "")")
  }

  /// `NearbyHostTests` has the hosts.
  @Test(arguments: [
    ("https://keys.example.com/x", true), ("http://127.0.0.1:5/x", true),
    ("http://169.254.170.23/v1/credentials", true),
    ("http://10.0.0.1/x", false), ("ftp://127.0.0.1/x", false), ("x", false),
  ]) func restrictsPlainHTTPToLocalHosts(_ url: String, _ isTrusted: Bool) throws {
    let environment = [
      "AWS_CONTAINER_CREDENTIALS_FULL_URI": url, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "t",
      "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/f",
    ]
    if isTrusted {
      #expect(try find(environment) == .container(url: url, token: .file("/f")))
    } else {
      #expect(throws: KeyFault.self) { try find(environment) }
    }
  }

  @Test func findsSharedFilesLikeAWSTools() throws {
    let folder = try TemporaryFolder()
    try folder.write("config", "[profile a]\ncredential_process = one\n")
    try folder.write("credentials", "[a]\naws_access_key_id = A\naws_secret_access_key = s\n")
    var environment = ["HOME": folder.path, "AWS_CONFIG_FILE": "~/config"]
    #expect(try AWSKeySource("a", environment: environment) == .process("one"))
    environment["AWS_SHARED_CREDENTIALS_FILE"] = folder.file("credentials")
    #expect(try AWSKeySource("a", environment: environment) == Self.fixed("A"))
    environment["AWS_CONFIG_FILE"] = folder.path
    let fault = #expect(throws: KeyFault.self) { try AWSKeySource("a", environment: environment) }
    #expect(fault?.message.text.hasPrefix("cannot read \(folder.path)") == true)
  }
}
