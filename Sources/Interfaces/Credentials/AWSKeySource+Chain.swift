extension AWSKeySource {
  /// The name of the chain: any other name is that of a profile.
  static let defaultChain = "default"
  /// The longest chain of profiles that refer to each other.
  private static let mostProfiles = 10

  /// Finds the source of keys.
  ///
  /// `default` is the chain that AWS's own tools follow: keys in the environment, a web identity named there, the profile
  /// `$AWS_PROFILE`, the endpoint beside a container, the metadata of the instance. Any other name is a profile, and nothing else
  /// is tried.
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
        "there are none: not in the environment, not in a profile, and instance metadata is switched off",
        remedy: "see AWS_ACCESS_KEY_ID, AWS_PROFILE and AWS_EC2_METADATA_DISABLED in the daemon's unit")
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
    func fault(_ words: String, _ remedy: String? = nil) -> KeyFault {
      KeyFault("the AWS profile \(name) \(words)", remedy: remedy)
    }
    guard let values = configuration.profiles[name] else {
      throw fault("does not exist", "see AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE in the daemon's unit")
    }
    // A profile that names itself as its source means the keys beside its role.
    let isOwnSource = others.last == name
    guard isOwnSource || !others.contains(name), others.count < mostProfiles else {
      throw fault("leads back to itself by source_profile", "name a profile with keys of its own")
    }
    func fixed() throws(KeyFault) -> AWSKeySource? {
      guard values["aws_access_key_id"] != nil || values["aws_secret_access_key"] != nil else { return nil }
      return .fixed(
        try keys(
          values["aws_access_key_id"], values["aws_secret_access_key"], values["aws_session_token"],
          where: "the AWS profile \(name)"), origin: "AWS profile \(name)")
    }
    // As the source of a role, a profile's own keys override its role.
    if !others.isEmpty, let keys = try fixed() { return keys }
    if !isOwnSource, let arn = values["role_arn"] {
      let role = try role(arn, values, environment, fault)
      if let file = values["web_identity_token_file"] { return .webIdentity(tokenFile: file, role) }
      switch (values["source_profile"], values["credential_source"]) {
      case (let source?, nil):
        return .assumedRole(role, by: try profile(source, environment, configuration, for: others + [name]))
      case (nil, let source?): return .assumedRole(role, by: try environment.source(source, fault))
      case (_?, _?): throw fault("has both source_profile and credential_source", "remove one of them")
      case (nil, nil):
        throw fault("has a role_arn, but nothing to take the role on with", "add source_profile or credential_source")
      }
    }
    if let keys = try fixed() { return keys }
    if let command = values["credential_process"], !command.isEmpty { return .process(command) }
    if values["sso_session"] != nil || values["sso_start_url"] != nil {
      throw fault("signs in by SSO, which needs a person", "give the daemon a role or keys of its own")
    }
    throw fault("has no keys", "add aws_access_key_id and aws_secret_access_key, role_arn or credential_process")
  }

  private static func role(
    _ arn: String, _ values: [String: String], _ environment: Environment,
    _ fault: (String, String?) -> KeyFault
  ) throws(KeyFault) -> AWSRole {
    if values["mfa_serial"] != nil {
      throw fault("asks for a code from a person (mfa_serial)", "give the daemon a role without one")
    }
    var seconds: Int?
    if let text = values["duration_seconds"] {
      guard let number = Int(text), (900...43_200).contains(number) else {
        throw fault("has a duration_seconds that is not 900 to 43200", nil)
      }
      seconds = number
    }
    return AWSRole(
      arn: arn, sessionName: values["role_session_name"], externalID: values["external_id"], seconds: seconds,
      region: environment.region ?? values["region"],
      endpoint: environment["AWS_ENDPOINT_URL_STS"] ?? environment["AWS_ENDPOINT_URL"] ?? values["endpoint_url"])
  }

  fileprivate static func keys(
    _ accessKey: String?, _ secretKey: String?, _ token: String?, where place: String
  ) throws(KeyFault) -> SigningKey {
    try SigningKey(
      (accessKey, secretKey, token), names: ("access key id", "secret access key", "session token")
    ) { name, fault in
      KeyFault(fault.map { "\(place) has a \(name) that \($0.words)" } ?? "\(place) has no \(name)")
    }
  }

  /// The settings in the daemon's environment. An empty variable counts as not set, as in AWS's own tools.
  struct Environment: Sendable {
    let values: [String: String]

    subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    var region: String? { self["AWS_REGION"] ?? self["AWS_DEFAULT_REGION"] }

    func keys() throws(KeyFault) -> AWSKeySource? {
      guard self["AWS_ACCESS_KEY_ID"] != nil || self["AWS_SECRET_ACCESS_KEY"] != nil else { return nil }
      return .fixed(
        try AWSKeySource.keys(
          self["AWS_ACCESS_KEY_ID"], self["AWS_SECRET_ACCESS_KEY"], self["AWS_SESSION_TOKEN"],
          where: "the environment"), origin: "AWS keys in the environment")
    }

    func webIdentity() throws(KeyFault) -> AWSKeySource? {
      guard let file = self["AWS_WEB_IDENTITY_TOKEN_FILE"] else { return nil }
      guard let arn = self["AWS_ROLE_ARN"] else {
        throw KeyFault(
          "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not", remedy: "set both in the daemon's unit")
      }
      return .webIdentity(
        tokenFile: file,
        AWSRole(
          arn: arn, sessionName: self["AWS_ROLE_SESSION_NAME"], region: region,
          endpoint: self["AWS_ENDPOINT_URL_STS"] ?? self["AWS_ENDPOINT_URL"]))
    }

    /// See "Container credential provider" in the AWS SDKs and Tools Reference Guide.
    func container() throws(KeyFault) -> AWSKeySource? {
      var token: AWSContainerToken?
      if let file = self["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] {
        token = .file(file)
      } else if let value = self["AWS_CONTAINER_AUTHORIZATION_TOKEN"] {
        do throws(Secret.Fault) {
          token = .value(try Secret(Array(value.utf8)))
        } catch {
          throw KeyFault("AWS_CONTAINER_AUTHORIZATION_TOKEN \(error.words)")
        }
      }
      if let path = self["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
        guard path.hasPrefix("/") else {
          throw KeyFault("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with /")
        }
        return .container(url: "http://169.254.170.2\(path)", token)
      }
      guard let url = self["AWS_CONTAINER_CREDENTIALS_FULL_URI"] else { return nil }
      guard Self.isTrusted(url) else {
        throw KeyFault(
          "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https:// nor an address of this host",
          remedy: "without TLS only the loopback and 169.254.170.2, 169.254.170.23 and [fd00:ec2::23] are asked")
      }
      return .container(url: url, token)
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

    /// The source that `credential_source` of a profile names.
    func source(
      _ name: String, _ fault: (String, String?) -> KeyFault
    ) throws(KeyFault) -> AWSKeySource {
      switch name {
      case "Environment":
        if let keys = try keys() { return keys }
        throw fault("takes keys from the environment, which has none", "set AWS_ACCESS_KEY_ID in the daemon's unit")
      case "Ec2InstanceMetadata": return .instanceMetadata(endpoint: metadataEndpoint)
      case "EcsContainer":
        if let container = try container() { return container }
        throw fault(
          "takes keys from the container's endpoint, which is not named",
          "set AWS_CONTAINER_CREDENTIALS_FULL_URI in the daemon's unit")
      default:
        throw fault("has a credential_source that is not known", "use Environment, Ec2InstanceMetadata or EcsContainer")
      }
    }
  }
}
