public import Credentials
import Jobs

/// A storage's keys, addresses, tags, lock and encryption.
extension Section {
  /// Returns access key, secret and token. An AWS profile gives all three, so it needs to be named only once. At an endpoint of
  /// AWS, none has to be set: then the keys are those that AWS's own tools would use.
  mutating func storageKeys(
    endpoint: String?
  ) -> (accessKey: CredentialSource?, secretKey: CredentialSource?, sessionToken: CredentialSource?) {
    let given = ["access_key", "secret_key", "session_token"].map { has($0) }
    if !given.contains(true), let endpoint, AWSHost(endpoint) != nil {
      let chain = CredentialSource.aws("default")
      if let fault = keyCheck.fault(chain) {
        problem(
          "access_key", "is missing, and the keys of AWS's own tools cannot be used: \(fault.words)", fault.remedy,
          mayPass: fault.mayPass)
        return (nil, nil, nil)
      }
      return (chain, chain, nil)
    }
    let accessKey = requiredCredential("access_key", file: "s3-access-key", profile: true)
    let secretFile = "s3-secret-key"
    // A source of all keys that cannot be used has been reported.
    let form = table["access_key"]?.table
    let givesAll = accessKey?.givesAllKeys ?? (form?["aws"] != nil || form?["aws_profile"] != nil)
    let secretKey =
      givesAll
      ? credential("secret_key", file: secretFile, profile: true)
      : requiredCredential("secret_key", file: secretFile)
    let token = credential("session_token", file: "session-token", profile: givesAll)
    guard givesAll, let accessKey else { return (accessKey, secretKey, token) }
    for (key, source) in [("secret_key", secretKey), ("session_token", token)] where ![nil, accessKey].contains(source)
    {
      problem(key, "does not come from the profile of access_key", "leave it out: the AWS profile of access_key has it")
    }
    return (accessKey, accessKey, nil)
  }

  /// Reports a problem if the endpoint or the bucket does not fit the addressing.
  func check(_ addressing: S3Addressing, of bucket: String, at endpoint: String) {
    let place = endpoint.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    if place.count > 3, place[3].split(separator: "/").last == Substring(bucket) {
      problem("endpoint", "ends with the bucket", "leave it out: the bucket goes into bucket")
    }
    guard addressing == .virtual, let host = place.dropFirst(2).first else { return }
    let labels = host.prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
    let isNumeric = host.hasPrefix("[") || (labels.count == 4 && labels.allSatisfy { UInt8($0) != nil })
    if isNumeric {
      problem(
        "addressing", "is \"virtual\", but a bucket name cannot be put before the IP address \(host)",
        "write addressing = \"path\", or an endpoint with a name")
    } else if bucket.utf8.contains(where: { ("A"..."Z").contains(UnicodeScalar($0)) || "_:".utf8.contains($0) }) {
      problem(
        "addressing", "is \"virtual\", but \(quoted(bucket)) cannot be part of a host's name",
        "write addressing = \"path\"")
    }
  }

  /// Reports a problem if one of the headers begins so: it would say the same as a key.
  private func refuse(_ headers: [String: String], _ beginning: String, besides key: String) {
    guard let same = headers.keys.sorted().first(where: { $0.lowercased().hasPrefix(beginning) }) else { return }
    problem(key, "says the same as the header \(same)", "leave that header out")
  }

  /// Returns the tags of a storage's objects: a template by name.
  mutating func tags(_ key: String, headers: [String: String]) -> [String: String] {
    let example = "\(key) = { type = \"{ext}\", case = \"{metadata.case}\" }"
    guard let inner = section(key, example: example) else { return [:] }
    refuse(headers, "x-amz-tagging", besides: key)
    guard inner.table.count <= ObjectTag.most else {
      problem(key, "has \(inner.table.count) tags", "S3 takes at most \(ObjectTag.most) for an object")
      return [:]
    }
    var tags: [String: String] = [:]
    for (name, node) in inner.table {
      guard let text = node.text else {
        inner.wrongType(name, node, "a string", example: "\(shownKey(name)) = \"{ext}\"")
        continue
      }
      if let fault = ObjectTag.fault(ofName: name) {
        inner.problem(name, "is no name of a tag: it \(fault)")
        continue
      }
      guard let template = inner.template(name, text, Placeholders.key) else { continue }
      if let fault = ObjectTag.fault(ofValue: template.text { _ in "" }) {
        inner.problem(name, "\(quoted(text)) is no value of a tag: it \(fault)")
        continue
      }
      tags[name] = text
    }
    return tags
  }

  mutating func objectLock(_ key: String, headers: [String: String]) -> ObjectLock? {
    let example = "\(key) = { mode = \"compliance\", retain = \"7y\" }"
    guard var inner = section(key, example: example) else { return nil }
    refuse(headers, "x-amz-object-lock-", besides: key)
    let mode = inner.choice("mode", default: ObjectLock.Mode.governance)
    let span: Duration? = inner.optionalQuantity("retain", example: "7y", in: "1d"..."100y")
    let hasLegalHold = inner.flag("legal_hold", default: false)
    if inner.table["mode"] != nil, inner.table["retain"] == nil { inner.missing("retain", example: "\"7y\"") }
    if inner.table["retain"] != nil, inner.table["mode"] == nil {
      inner.missing("mode", example: "\"governance\", or \"compliance\"")
    }
    inner.finish()
    let retention = span.map { ObjectLock.Retention(mode: mode, span: $0) }
    guard retention != nil || hasLegalHold else {
      if inner.table["retain"] == nil, inner.table["mode"] == nil {
        problem(key, "locks nothing", "write it like \(example), or leave it out")
      }
      return nil
    }
    return ObjectLock(retention: retention, hasLegalHold: hasLegalHold)
  }

  mutating func encryption(_ key: String, headers: [String: String], endpoint: String?) -> StorageSettings.Encryption? {
    let example = "{ customer_key = { file = \"/etc/waybill/keys/customer-key\" } }"
    let forms = "write \(key) = \(example), or \(key) = { kms = \"KEY-ID\" }"
    guard var inner = section(key, example: "\(key) = \(example)") else { return nil }
    refuse(headers, "x-amz-server-side-encryption", besides: key)
    let customerKey = inner.credential("customer_key", file: "customer-key", form: .key256)
    let kms = inner.kmsKey("kms")
    inner.finish()
    if inner.table.isEmpty { return refuse(key, "does not say what to encrypt with", forms) }
    guard inner.table["customer_key"] != nil else { return kms.map { .kms($0) } }
    if inner.table["kms"] != nil { return refuse(key, "names two keys", forms) }
    inner.requireSecrecy("customer_key", of: endpoint)
    return customerKey.map { .customerKey($0) }
  }

  /// Reports a problem if a key would go over the network in clear text.
  private func requireSecrecy(_ key: String, of endpoint: String?) {
    guard let endpoint, endpoint.hasPrefix("http://"), NearbyHost(endpoint)?.isLoopback != true else { return }
    problem(
      key, "has a customer's key, which each request would show to everybody on its way over http",
      "write an endpoint with https://")
  }

  /// Returns the id, ARN or alias of a key. AWS takes all three, and other servers have their own forms.
  private mutating func kmsKey(_ key: String) -> String? {
    guard let name = optionalText(key, example: "\"1234abcd-12ab-34cd-56ef-1234567890ab\"") else { return nil }
    let isPlain = name.utf8.allSatisfy { NameText.isLetterOrDigit($0) || "-_:/.=+@".utf8.contains($0) }
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    let isOfKey = parts.count == 6 && parts[2] == "kms" && !parts[5].isEmpty
    guard isPlain, name.utf8.count <= 2048, parts[0] != "arn" || isOfKey else {
      return refuse(key, "\(quoted(name)) is not the id or ARN of a KMS key", "write it as KMS shows it")
    }
    guard !["aws:kms", "aws:kms:dsse", "aes256"].contains(name.lowercased()) else {
      return refuse(key, "\(quoted(name)) is a way to encrypt and not a key", "write the key's id or ARN")
    }
    return name
  }
}

extension StorageSettings.Encryption {
  /// The source of the customer's key; nil for a key of a KMS.
  public var secret: CredentialSource? { if case .customerKey(let source) = self { source } else { nil } }
}

extension StorageSettings {
  /// Returns the maximum number of parts at a service ("Multipart uploads" in Scaleway's documentation; "Amazon S3 multipart
  /// upload limits").
  static func mostParts(at endpoint: String?) -> Int {
    let host = endpoint?.split(separator: "/").dropFirst().first?.prefix { $0 != ":" }.lowercased()
    return host?.hasSuffix(".scw.cloud") == true ? 1000 : 10_000
  }

  /// Returns true for a header that goes with each request, not only with those that begin an object ("Request Syntax" of each operation
  /// in the S3 API reference).
  public static func isOfEachRequest(_ header: String) -> Bool {
    ["x-amz-expected-bucket-owner", "x-amz-request-payer"].contains(header.lowercased())
  }
}
