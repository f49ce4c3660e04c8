public import Credentials

/// The owner of a storage's bucket, and the encryption of its objects.
extension Section {
  /// Returns the account that the bucket must belong to.
  mutating func bucketOwner(_ key: String, headers: [String: String], endpoint: String?) -> String? {
    let example = "\"123456789012\""
    guard let owner = optionalText(key, example: example) else { return nil }
    if let name = headers.keys.first(where: { $0.lowercased() == "x-amz-expected-bucket-owner" }) {
      problem(key, "says the same as the header \(name)", "leave that header out")
    }
    let isAccount = owner.utf8.count == 12 && owner.utf8.allSatisfy { (0x30...0x39).contains($0) }
    // Other providers name their accounts in other ways.
    let mayBeOther = endpoint.map { AWSHost($0) == nil } ?? true
    guard isAccount || (mayBeOther && NameText.isValid(owner)) else {
      problem(
        key, "\(Quoted(owner)) is not the ID of an account", "write the 12 digits of the account: \(key) = \(example)")
      return nil
    }
    return owner
  }

  /// Returns the key that objects are encrypted with.
  mutating func encryption(
    _ key: String, headers: [String: String], endpoint: String?, check: CredentialCheck
  ) -> StorageSettings.Encryption? {
    let example = "{ customer_key = { file = \"/etc/waybill/keys/customer-key\" } }"
    let forms = "write \(key) = \(example), or \(key) = { kms = \"KEY-ID\" }"
    guard var inner = section(key, example: "\(key) = \(example)") else { return nil }
    let same = headers.keys.sorted().first { $0.lowercased().hasPrefix("x-amz-server-side-encryption") }
    if let same { problem(key, "says the same as the header \(same)", "leave that header out") }
    let customerKey = inner.credential(
      "customer_key", example: "{ file = \"/etc/waybill/keys/customer-key\" }", form: .key256, check: check)
    let kms = inner.kmsKey("kms")
    inner.finish()
    switch (inner.table["customer_key"], inner.table["kms"]) {
    case (nil, nil):
      if inner.table.isEmpty { problem(key, "does not say what to encrypt with", forms) }
      return nil
    case (.some, .some):
      problem(key, "names two keys", forms)
      return nil
    case (.some, nil):
      inner.requireSecrecy("customer_key", of: endpoint)
      return customerKey.map { .customerKey($0) }
    case (nil, .some): return kms.map { .kms($0) }
    }
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
      problem(key, "\(Quoted(name)) is not the id or ARN of a KMS key", "write it as KMS shows it")
      return nil
    }
    guard !["aws:kms", "aws:kms:dsse", "aes256"].contains(name.lowercased()) else {
      problem(key, "\(Quoted(name)) is a way to encrypt and not a key", "write the key's id or ARN")
      return nil
    }
    return name
  }
}

extension StorageSettings.Encryption {
  /// The source of the customer's key; nil for a key of a KMS.
  public var secret: CredentialSource? { if case .customerKey(let source) = self { source } else { nil } }
}

extension StorageSettings {
  /// Returns true for a header that goes with each request, not only with those that begin an object ("Request Syntax" of each operation
  /// in the S3 API reference).
  public static func isOfEachRequest(_ header: String) -> Bool {
    ["x-amz-expected-bucket-owner", "x-amz-request-payer"].contains(header.lowercased())
  }
}
