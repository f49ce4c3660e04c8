public import Messages

/// The source of a key, token or secret. The value itself is never part of a configuration.
public enum CredentialSource: Hashable, Sendable {
  /// A file, by its absolute path: read again when it changes.
  case file(String)
  /// `$CREDENTIALS_DIRECTORY/NAME`, as systemd's `LoadCredential=` makes it (systemd.exec(5)): fixed until a restart.
  case credential(String)
  /// An environment variable of the daemon: fixed until a restart.
  case environment(String)
  /// A profile of the AWS command line's shared credentials file: read again when it changes. It has both keys, and the token of
  /// a session.
  case awsProfile(String)
  /// Keys that AWS's own tools would use, fetched and renewed: `default` is their chain, any other name a profile, with its role.
  case aws(String)
  /// The token that an OAuth 2 server gives to this client. It is fetched, and renewed before it expires.
  indirect case oauth(OAuthClient)

  /// True if it gives both keys of a storage and the token of a session, all together.
  public var givesAllKeys: Bool {
    switch self {
    case .awsProfile, .aws: true
    case .file, .credential, .environment, .oauth: false
    }
  }

  /// True if it is fetched from somewhere while the daemon runs.
  public var isFetched: Bool {
    switch self {
    case .aws, .oauth: true
    case .file, .credential, .environment, .awsProfile: false
    }
  }

  /// True if a different value can appear while the daemon runs.
  public var changesWhileRunning: Bool {
    switch self {
    case .file, .awsProfile, .aws, .oauth: true
    case .credential, .environment: false
    }
  }

  /// Returns the paths of the files that it is read from, as far as configuration and environment name them.
  public func files(_ environment: [String: String]) -> [String] {
    switch self {
    case .file(let path): [path]
    case .awsProfile: [AWSConfiguration.credentialsPath(environment)].compactMap(\.self)
    case .aws:
      [
        AWSConfiguration.path(environment), AWSConfiguration.credentialsPath(environment),
        environment["AWS_WEB_IDENTITY_TOKEN_FILE"], environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"],
      ].compactMap { $0?.isEmpty == true ? nil : $0 }
    case .oauth(let client): client.secrets.flatMap { $0.files(environment) }
    case .credential, .environment: []
    }
  }

  /// The end of a failure's reason, after a space, if a changed value is read only after a restart; else nil.
  public var restartNote: String? {
    changesWhileRunning ? nil : "(read at start: restart waybill after changing it)"
  }
}

extension CredentialSource: CustomStringConvertible {
  /// The source in words, e.g. `systemd credential s3-access-key`. It holds no secret.
  public var words: Message {
    switch self {
    case .file(let path): .text(path)
    case .credential(let name): .sourceCredential(name: name)
    case .environment(let name): .sourceVariable(name: name)
    case .awsProfile(let name): .sourceProfile(name: name)
    case .aws(AWSKeySource.defaultChain): .sourceChain
    case .aws(let name): .sourceProfileWithRole(name: name)
    case .oauth(let client): .sourceOauth(client: client.clientID, place: client.place)
    }
  }

  /// The words in English.
  public var description: String { words.text }
}
