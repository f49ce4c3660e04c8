/// The source of keys, as environment and shared files describe it. Nothing is fetched yet.
///
/// See "Standardized credential providers" in the AWS SDKs and Tools Reference Guide.
package indirect enum AWSKeySource: Hashable, Sendable {
  /// The keys are in the environment or in a file.
  case fixed(SigningKey, origin: String)
  /// A program prints them (`credential_process`).
  case process(String)
  /// A role is assumed with the token of an OpenID Connect provider, e.g. that of a Kubernetes service account.
  case webIdentity(tokenFile: String, AWSRole)
  /// A role is assumed with other keys.
  case assumedRole(AWSRole, by: AWSKeySource)
  /// An endpoint beside a container: ECS, EKS Pod Identity.
  case container(url: String, AWSContainerToken?)
  /// The metadata service of an EC2 instance, by its address.
  case instanceMetadata(endpoint: String)

  /// Returns the program of a command line, for words: no variable that is set before it, which may be a secret, and no argument.
  static func program(of command: String) -> String {
    command.split { $0.isWhitespace }.first { !$0.contains("=") }.map(String.init) ?? ""
  }

  /// The source in words.
  package var words: String {
    switch self {
    case .fixed(_, let origin): origin
    case .process(let command): "credential_process \(Self.program(of: command))"
    case .webIdentity(_, let role): "role \(role.arn) by web identity"
    case .assumedRole(let role, let source): "role \(role.arn) by \(source.words)"
    case .container(let url, _): "container credentials at \(url)"
    case .instanceMetadata(let endpoint): "instance metadata at \(endpoint)"
    }
  }
}

/// A role to assume (STS: AssumeRole, AssumeRoleWithWebIdentity).
package struct AWSRole: Hashable, Sendable {
  var arn: String
  /// The name that the use of the role is logged under; nil for one of the daemon's own.
  var sessionName: String?
  var externalID: String?
  /// The time that the keys are to be good for, in seconds; nil for STS's default.
  var seconds: Int?
  /// The region whose STS is asked; nil for the global one.
  var region: String?
  /// The address of the STS to ask instead.
  package var endpoint: String?
}

/// The authorization for the endpoint beside a container.
package enum AWSContainerToken: Hashable, Sendable {
  case file(String)
  case value(Secret)
}
