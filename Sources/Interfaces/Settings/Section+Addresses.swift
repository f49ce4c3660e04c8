import Credentials
import Jobs
import Linux

extension Section {
  /// Returns the endpoint of a storage without a slash at its end. Its path is part of the signed text, so only unreserved
  /// characters are allowed.
  func endpoint(_ key: String, _ text: String) -> String? {
    guard let address = address(key, text) else { return nil }
    guard address.query == nil, address.fragment == nil else {
      return refuse(key, "has a query or a fragment", "an endpoint is scheme, host and port")
    }
    let segments = address.path.split(separator: "/")
    let isPlain = address.path.utf8.allSatisfy { NameText.isLetterOrDigit($0) || "/-._~".utf8.contains($0) }
    guard isPlain, !segments.contains("."), !segments.contains(".."), !address.path.contains("//") else {
      return refuse(
        key, "has the path \(quoted(address.path))", "a path before the bucket may have letters, digits, -, ., _ and ~")
    }
    return "\(address.scheme)://\(address.host)" + (address.port.map { ":\($0)" } ?? "")
      + segments.map { "/" + $0 }.joined()
  }

  /// Returns the URL of a backend, as written.
  func backendURL(_ key: String, _ text: String) -> String? {
    guard let address = address(key, text) else { return nil }
    guard address.fragment == nil else {
      return refuse(key, "has a fragment", "leave out the # and what follows: it is never sent")
    }
    return text
  }

  /// Returns the URL of registrations, as written. Its path and its query may have placeholders.
  func registrationURL(_ key: String, _ text: String) -> String? {
    guard text.contains(where: { $0 == "{" || $0 == "}" }) else { return backendURL(key, text) }
    // A template for the path, and one for the query.
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let samples = parts.compactMap { template(key, $0, Placeholders.url)?.text { _ in "0" } }
    guard samples.count == parts.count, backendURL(key, samples.joined(separator: "?")) != nil else { return nil }
    // Ignored: a beginning that is no address ends before its path, too.
    let beginning = try? WebAddress(String(text.prefix { $0 != "{" }))
    guard let beginning, !beginning.path.isEmpty || beginning.query != nil else {
      return refuse(key, "has a placeholder before its path", "put placeholders into the path or the query")
    }
    return text
  }

  private func address(_ key: String, _ text: String) -> WebAddress? {
    do throws(WebAddress.Fault) {
      return try WebAddress(text)
    } catch {
      return refuse(key, error.words, error.remedy)
    }
  }

  /// Checks a bucket's name by S3's rules, but as loosely as servers other than AWS do. Ceph takes the bucket of another tenant as
  /// `TENANT:BUCKET` ("RGW Multi-tenancy" in its manual); that of the legacy tenant has nothing before the colon.
  func bucket(_ key: String, _ text: String) -> String? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let (tenants, name) = (parts.dropLast(), parts.last ?? "")
    let allowed = name.utf8.allSatisfy { NameText.isLetterOrDigit($0) || "-._".utf8.contains($0) }
    let ends = [name.utf8.first, name.utf8.last].allSatisfy { $0.map(NameText.isLetterOrDigit) ?? false }
    guard allowed, ends, !name.contains(".."), (3...63).contains(name.utf8.count) else {
      return refuse(
        key, "\(quoted(text)) is not a valid bucket name",
        "it has 3 to 63 letters, digits, dots and hyphens, and begins and ends with a letter or digit")
    }
    let isTenant = tenants.allSatisfy {
      $0.utf8.count <= 63 && $0.utf8.allSatisfy { NameText.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
    }
    guard isTenant else {
      return refuse(key, "\(quoted(text)) has no valid tenant", "it has at most 63 letters, digits and underscores")
    }
    return text
  }

  /// Returns the configured region, else that of AWS's endpoint, else S3's traditional default.
  func region(_ key: String, _ region: String?, endpoint: String) -> String {
    guard let region else { return AWSHost(endpoint)?.region ?? "us-east-1" }
    // It is part of the signature's scope, which slashes divide.
    if region.isEmpty || !region.utf8.allSatisfy({ NameText.isLetterOrDigit($0) || "-_".utf8.contains($0) }) {
      problem(key, "\(quoted(region)) is not a valid region name", "write it like region = \"eu-central-1\"")
    }
    return region
  }
}

/// Names of storages, backends and spools.
enum NameText {
  static let rule = "a name has 1 to 64 letters, digits, - and _"

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  static func isValid(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { isLetterOrDigit($0) || "-_".utf8.contains($0) }
  }
}

/// Absolute paths. They are compared as text, so they are normalized first.
extension Section {
  mutating func path(_ key: String, example: String) -> String? {
    guard let text = text(key, example: example) else { return nil }
    guard !text.isEmpty else {
      return refuse(key, "is empty", "write it like \(key) = \(example)")
    }
    return absolute(key, text)
  }

  mutating func requiredPath(_ key: String, example: String) -> String? {
    guard let text = requiredText(key, example: example), let path = absolute(key, text) else { return nil }
    guard path != "/" else {
      return refuse(key, "is the root directory", "give the spool a directory of its own")
    }
    return path
  }

  /// Returns the path of a file of certificates; an empty text means none.
  mutating func certificates(_ key: String) -> String? {
    guard let text = text(key, example: "\"/etc/waybill/ca.pem\""), !text.isEmpty else { return nil }
    guard let path = absolute(key, text) else { return nil }
    // A system's whole bundle has some 250 KB.
    if let fault = keyCheck.fault(file: path, limit: 4 * 1024 * 1024) {
      problem(
        key, "cannot read \(path): \(fault.reason)", "name a PEM file of certificates that the daemon can read",
        mayPass: fault.mayPass)
    }
    return path
  }

  private func absolute(_ key: String, _ text: String) -> String? {
    guard text.hasPrefix("/") else {
      return refuse(key, "\(quoted(text)) is a relative path", "write the absolute path, from /")
    }
    guard let path = PlainPath.of(text) else {
      return refuse(key, "\(quoted(text)) has a .. in it", "write the path that it leads to")
    }
    guard path.utf8.count < 4096 else {
      return refuse(key, "is longer than 4,095 bytes, the limit for a path")
    }
    return path
  }
}

/// Paths in a form that can be compared.
enum PlainPath {
  /// Returns an absolute path without empty and `.` components; nil for a path with `..`, which may lead anywhere after a
  /// symbolic link.
  static func of(_ text: String) -> String? {
    let parts = text.split(separator: "/").filter { $0 != "." }
    return parts.contains("..") ? nil : "/" + parts.joined(separator: "/")
  }

  /// Returns true if the inner path is the outer one or lies somewhere below it.
  static func contains(_ outer: String, _ inner: String) -> Bool {
    inner == outer || inner.hasPrefix(outer == "/" ? "/" : outer + "/")
  }
}
