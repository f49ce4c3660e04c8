import Credentials

/// Checks of a storage's keys and addresses, one against the other.
extension Section {
  /// Returns access key, secret and token. An AWS profile gives all three, so it needs to be named only once. At an endpoint of
  /// AWS, none has to be set: then the keys are those that AWS's own tools would use.
  mutating func storageKeys(
    _ check: CredentialCheck, endpoint: String?
  ) -> (accessKey: CredentialSource?, secretKey: CredentialSource?, sessionToken: CredentialSource?) {
    let given = ["access_key", "secret_key", "session_token"].map { has($0) }
    if !given.contains(true), let endpoint, AWSHost(endpoint) != nil {
      let chain = CredentialSource.aws("default")
      if let fault = check.fault(chain) {
        problem(
          "access_key", "is missing, and the keys of AWS's own tools cannot be used: \(fault.words)", fault.remedy,
          mayPass: fault.mayPass)
        return (nil, nil, nil)
      }
      return (chain, chain, nil)
    }
    let accessKey = requiredCredential(
      "access_key", example: "{ file = \"/etc/waybill/keys/s3-access-key\" }", profile: true, check: check)
    let secretExample = "{ file = \"/etc/waybill/keys/s3-secret-key\" }"
    let tokenExample = "{ file = \"/run/waybill/session-token\" }"
    // A source that cannot be used would give all keys too, and its fault has been reported.
    if accessKey == nil, case .table(let form)? = table["access_key"]?.value,
      form["aws"] != nil || form["aws_profile"] != nil
    {
      _ = credential("secret_key", example: secretExample, profile: true, check: check)
      _ = credential("session_token", example: tokenExample, profile: true, check: check)
      return (nil, nil, nil)
    }
    guard let accessKey, accessKey.givesAllKeys else {
      return (
        accessKey, requiredCredential("secret_key", example: secretExample, check: check),
        credential("session_token", example: tokenExample, check: check)
      )
    }
    for (key, example) in [("secret_key", secretExample), ("session_token", tokenExample)] where table[key] != nil {
      let source = credential(key, example: example, profile: true, check: check)
      guard let source, source != accessKey else { continue }
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
    } else if bucket.utf8.contains(where: { ("A"..."Z").contains(UnicodeScalar($0)) || $0 == UInt8(ascii: "_") }) {
      problem(
        "addressing", "is \"virtual\", but \(Quoted(bucket)) cannot be part of a host's name",
        "write addressing = \"path\"")
    }
  }
}

extension StorageSettings {
  /// Returns the maximum number of parts at a service ("Multipart uploads" in Scaleway's documentation; "Amazon S3 multipart
  /// upload limits").
  static func mostParts(at endpoint: String?) -> Int {
    let host = endpoint?.split(separator: "/").dropFirst().first?.prefix { $0 != ":" }.lowercased()
    return host?.hasSuffix(".scw.cloud") == true ? 1000 : 10_000
  }
}
