import Messages

extension AWSKeySource {
  /// The name of the chain: any other name is that of a profile.
  static let defaultChain = "default"
  /// The longest chain of profiles that refer to each other.
  private static let mostProfiles = 10

  /// Finds the source of keys. `default` is the chain that AWS's own tools follow; with any other name, a profile, nothing else is tried.
  /// - Throws: ``KeyFault`` if the first source that is set up cannot be used.
  package init(_ name: String, environment: [String: String]) throws(KeyFault) {
    let configuration = try AWSConfiguration(environment: environment)
    self = try Self.find(name, Environment(values: environment), configuration)
  }

  static func find(
    _ name: String, _ environment: Environment, _ configuration: AWSConfiguration
  ) throws(KeyFault) -> AWSKeySource {
    guard name == defaultChain else {
      return try profile(name, environment, configuration)
    }
    if let keys = try environment.keys() { return keys }
    if let identity = try environment.webIdentity() { return identity }
    if let chosen = environment["AWS_PROFILE"] ?? environment["AWS_DEFAULT_PROFILE"] {
      return try profile(chosen, environment, configuration)
    }
    if configuration.profiles["default"].map(Self.namesKeys) == true {
      return try profile("default", environment, configuration)
    }
    if let container = try environment.container() { return container }
    if environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() == "true" {
      throw KeyFault(
        .noAwsKeys, remedy: .seeInUnit(settings: "AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_EC2_METADATA_DISABLED"))
    }
    return .instanceMetadata(endpoint: environment.metadataEndpoint)
  }

  private static func namesKeys(_ values: [String: String]) -> Bool {
    ["aws_access_key_id", "role_arn", "credential_process", "sso_session", "sso_start_url"].contains {
      values[$0] != nil
    }
  }

  private static func profile(
    _ name: String, _ environment: Environment, _ configuration: AWSConfiguration, for others: [String] = []
  ) throws(KeyFault) -> AWSKeySource {
    func fault(_ fault: Message, _ remedy: Message? = nil) -> KeyFault {
      KeyFault(.awsProfile(profile: name, fault: fault), remedy: remedy)
    }
    guard let values = configuration.profiles[name] else {
      throw fault(.profileUnknown, .seeInUnit(settings: "AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE"))
    }
    // A profile that names itself as its source means the keys beside its role.
    let isOwnSource = others.last == name
    guard isOwnSource || !others.contains(name), others.count < mostProfiles else {
      throw fault(.profileCircle, .profileWithKeys)
    }
    func fixed() throws(KeyFault) -> AWSKeySource? {
      try keys(in: values, SigningKey.profileNames) { fault($0) }
    }
    // As the source of a role, a profile's own keys override its role.
    if !others.isEmpty, let keys = try fixed() { return keys }
    if !isOwnSource, let arn = values["role_arn"] {
      let role = role(arn, values, environment)
      if let file = values["web_identity_token_file"] { return .webIdentity(tokenFile: file, role) }
      switch (values["source_profile"], values["credential_source"]) {
      case (let source?, nil):
        return .assumedRole(role, by: try profile(source, environment, configuration, for: others + [name]))
      case (nil, let source?): return .assumedRole(role, by: try environment.source(source, fault))
      case (_?, _?), (nil, nil): throw fault(.profileNoSource, .addKeySource)
      }
    }
    if let keys = try fixed() { return keys }
    if let command = values["credential_process"], !command.isEmpty { return .process(command) }
    throw fault(.profileNoKeys, .addProfileKeys)
  }

  private static func role(_ arn: String, _ values: [String: String], _ environment: Environment) -> AWSRole {
    AWSRole(
      arn: arn, sessionName: values["role_session_name"], externalID: values["external_id"],
      seconds: values["duration_seconds"], region: environment.region ?? values["region"],
      endpoint: environment["AWS_ENDPOINT_URL_STS"] ?? environment["AWS_ENDPOINT_URL"] ?? values["endpoint_url"])
  }

  /// Returns the source of keys that are the values of these names; nil if there are none.
  fileprivate static func keys(
    in values: [String: String], _ names: SigningKey.Names, fault: (Message) -> KeyFault
  ) throws(KeyFault) -> AWSKeySource? {
    guard values[names.id] != nil || values[names.secret] != nil else { return nil }
    let keys = try SigningKey(in: values, names) { name, why in
      fault(why.map { .hasUnfitKey(name: name, why: $0) } ?? .hasNoKey(name: name))
    }
    return .fixed(keys)
  }

  /// The settings in the daemon's environment. An empty variable counts as not set, as in AWS's own tools.
  struct Environment: Sendable {
    let values: [String: String]

    subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    var region: String? { self["AWS_REGION"] ?? self["AWS_DEFAULT_REGION"] }

    func keys() throws(KeyFault) -> AWSKeySource? {
      let names = (id: "AWS_ACCESS_KEY_ID", secret: "AWS_SECRET_ACCESS_KEY", token: "AWS_SESSION_TOKEN")
      return try AWSKeySource.keys(in: values.filter { !$1.isEmpty }, names) {
        KeyFault(.awsEnvironment(fault: $0))
      }
    }

    func webIdentity() throws(KeyFault) -> AWSKeySource? {
      guard let file = self["AWS_WEB_IDENTITY_TOKEN_FILE"] else { return nil }
      guard let arn = self["AWS_ROLE_ARN"] else {
        throw KeyFault(
          .setWithout(setting: "AWS_WEB_IDENTITY_TOKEN_FILE", missing: "AWS_ROLE_ARN"),
          remedy: .setVariable(setting: "AWS_ROLE_ARN"))
      }
      return .webIdentity(
        tokenFile: file,
        AWSRole(
          arn: arn, sessionName: self["AWS_ROLE_SESSION_NAME"], region: region,
          endpoint: self["AWS_ENDPOINT_URL_STS"] ?? self["AWS_ENDPOINT_URL"]))
    }

    /// See "Container credential provider" in the AWS SDKs and Tools Reference Guide.
    func container() throws(KeyFault) -> AWSKeySource? {
      let name = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
      let token: CredentialSource? =
        if let file = self[name + "_FILE"] { .file(file) } else { self[name].map { _ in .environment(name) } }
      if let path = self["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
        guard path.hasPrefix("/") else { throw KeyFault(.containerUriRelative) }
        return .container(url: "http://169.254.170.2\(path)", token: token)
      }
      guard let url = self["AWS_CONTAINER_CREDENTIALS_FULL_URI"] else { return nil }
      guard Self.isTrusted(url) else { throw KeyFault(.containerUriUntrusted, remedy: .hostsWithoutTls) }
      return .container(url: url, token: token)
    }

    /// Returns true if keys may be fetched from a URL: without TLS, only from this host and from the addresses of ECS and EKS.
    private static func isTrusted(_ url: String) -> Bool {
      let lower = url.lowercased()
      if lower.hasPrefix("https://") { return true }
      guard lower.hasPrefix("http://") else { return false }
      guard let host = NearbyHost(lower) else { return false }
      let authority = lower.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      return host.isLoopback
        || ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"].contains {
          authority == $0 || authority.hasPrefix($0 + ":")
        }
    }

    var metadataEndpoint: String {
      if let endpoint = self["AWS_EC2_METADATA_SERVICE_ENDPOINT"] {
        return endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
      }
      let isIPv6 = self["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"]?.lowercased() == "ipv6"
      return isIPv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254"
    }

    func source(
      _ name: String, _ fault: (Message, Message?) -> KeyFault
    ) throws(KeyFault) -> AWSKeySource {
      switch name {
      case "Environment":
        if let keys = try keys() { return keys }
        throw fault(.profileEmptyEnvironment, .setVariable(setting: "AWS_ACCESS_KEY_ID"))
      case "Ec2InstanceMetadata": return .instanceMetadata(endpoint: metadataEndpoint)
      case "EcsContainer":
        if let container = try container() { return container }
        throw fault(.profileNoContainer, .setVariable(setting: "AWS_CONTAINER_CREDENTIALS_FULL_URI"))
      default: throw fault(.profileUnknownSource, .useKnownSource)
      }
    }
  }
}
