import Credentials
import Jobs
import Linux

/// Looks for keys where other tools for S3 keep them.
struct KeySearch {
  /// The keys, the most certain first. The same keys with the same address and region are there once.
  private(set) var found: [FoundKeys] = []
  /// The keys by all their names, which an option may mean.
  private(set) var named: [FoundKeys] = []
  /// Keys that cannot be taken over, in words for the person.
  private(set) var left: [String] = []

  private let read: (String) -> String?

  /// Looks in home directories and the environment.
  ///
  /// - Parameter read: returns the text of a file; nil if there is none, or it cannot be read.
  init(homes: [String], environment: [String: String], read: @escaping (String) -> String?) {
    self.read = read
    lookInEnvironment(environment)
    for home in homes {
      lookInAWS(home, environment)
      for path in ["\(home)/.config/rclone/rclone.conf", "\(home)/.rclone.conf"] { lookInRclone(path) }
      lookInS3cmd("\(home)/.s3cfg")
    }
  }

  /// Reads a file as a search does: a missing one is nothing.
  static func text(of path: String) -> String? {
    // Ignored: of a file that is missing or closed nothing is known, and the person may type the keys.
    guard let bytes = try? readSmallFile(path: path, limit: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Adds keys. If the same were found before, they only get another name; what one place leaves out, another one may say.
  private mutating func add(
    _ source: FoundKeys.Source, _ file: String?, _ access: String?, _ secret: String?, token: String? = nil,
    endpoint: String? = nil, region: String? = nil
  ) {
    func value(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
    guard let access = value(access).flatMap({ Secret(text: $0) }),
      let secret = value(secret).flatMap({ Secret(text: $0) })
    else { return }
    let endpoint = value(endpoint).map(Provider.trimmed)
    let keys = FoundKeys(
      source: source, file: file, access: access, secret: secret, token: value(token).flatMap { Secret(text: $0) },
      endpoint: endpoint, region: value(region))
    named.append(keys)
    let same = found.firstIndex {
      $0.access == access && $0.secret == secret && $0.endpoint == endpoint
        && ($0.region == keys.region || $0.region == nil || keys.region == nil)
    }
    guard let same else { return found.append(keys) }
    found[same].region = found[same].region ?? keys.region
  }

  private mutating func lookInEnvironment(_ environment: [String: String]) {
    add(
      .environment, nil, environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"],
      token: environment["AWS_SESSION_TOKEN"],
      endpoint: environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"],
      region: environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"])
  }

  private mutating func lookInAWS(_ home: String, _ environment: [String: String]) {
    let file = "\(home)/.aws/credentials"
    let configuration = AWSConfiguration(
      configuration: read("\(home)/.aws/config") ?? "", credentials: read(file) ?? "")
    for (name, values) in configuration.profiles.sorted(by: { $0.key < $1.key }) {
      let fetched = values.keys.sorted().first {
        $0.hasPrefix("sso_") || ["role_arn", "credential_process", "web_identity_token_file"].contains($0)
      }
      if let fetched {
        left.append(
          "profile \(DisplayText.escape(name)) of \(home)/.aws gets its keys by \(fetched): the service does not see that home; "
            + "waybill.toml(5) tells how it can use a profile: { aws = \"\(DisplayText.escape(name))\" }")
        continue
      }
      add(
        .aws(profile: name), file, values["aws_access_key_id"], values["aws_secret_access_key"],
        token: values["aws_session_token"], endpoint: values["endpoint_url"], region: values["region"])
    }
  }

  private mutating func lookInRclone(_ path: String) {
    guard let text = read(path) else { return }
    guard !text.contains("RCLONE_ENCRYPT_V0:") else {
      left.append("\(path) is encrypted: rclone config show prints its keys")
      return
    }
    for section in INISections(text).sections where section.values["type"] == "s3" {
      let values = section.values
      if values["env_auth"] == "true", values["access_key_id", default: ""].isEmpty {
        left.append(
          "remote \(DisplayText.escape(section.title)) of \(path) takes its keys from its environment: export them, or type them"
        )
        continue
      }
      add(
        .rclone(remote: section.title), path, values["access_key_id"], values["secret_access_key"],
        token: values["session_token"], endpoint: values["endpoint"], region: values["region"])
    }
  }

  private mutating func lookInS3cmd(_ path: String) {
    guard let text = read(path) else { return }
    for section in INISections(text).sections where section.title == "default" {
      let values = section.values
      let scheme = values["use_https"]?.lowercased() == "false" ? "http" : "https"
      let host = values["host_base"].flatMap { $0.isEmpty ? nil : $0 }
      // AWS's own host stands there by default, without a region.
      let endpoint = host == "s3.amazonaws.com" ? nil : host.map { $0.contains("://") ? $0 : "\(scheme)://\($0)" }
      let place = values["bucket_location"]
      add(
        .s3cfg, path, values["access_key"], values["secret_key"], token: values["access_token"], endpoint: endpoint,
        region: place == "US" ? nil : place)
    }
  }
}
