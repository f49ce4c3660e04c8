/// The source of keys, as environment and shared files describe it. Nothing is fetched yet.
///
/// See "Standardized credential providers" in the AWS SDKs and Tools Reference Guide.
package indirect enum AWSKeySource: Hashable, Sendable {
  /// The keys are in the environment or in a file.
  case fixed(SigningKey)
  /// A program prints them (`credential_process`).
  case process(String)
  /// A role is assumed with the token of an OpenID Connect provider, e.g. that of a Kubernetes service account.
  case webIdentity(tokenFile: String, AWSRole)
  case assumedRole(AWSRole, by: AWSKeySource)
  /// An endpoint beside a container: ECS, EKS Pod Identity.
  case container(url: String, token: CredentialSource?)
  /// The metadata service of an EC2 instance, by its address.
  case instanceMetadata(endpoint: String)
}

/// A role to assume (STS: AssumeRole, AssumeRoleWithWebIdentity).
package struct AWSRole: Hashable, Sendable {
  var arn: String
  /// The name that the use of the role is logged under; nil for one of the daemon's own.
  var sessionName: String?
  var externalID: String?
  /// The time that the keys are to be good for, in seconds; nil for STS's default. STS judges it.
  var seconds: String?
  /// The region whose STS is asked; nil for the global one.
  var region: String?
  /// The address of the STS to ask instead.
  package var endpoint: String?
}
