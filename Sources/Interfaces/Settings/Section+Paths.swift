import Linux

/// Absolute paths. They are compared as text, so they are normalized first.
extension Section {
  mutating func path(_ key: String, example: String) -> String? {
    guard let text = text(key, example: example) else { return nil }
    guard !text.isEmpty else {
      problem(key, "is empty", "write it like \(key) = \(example)")
      return nil
    }
    return absolute(key, text)
  }

  mutating func requiredPath(_ key: String, example: String) -> String? {
    guard let text = requiredText(key, example: example), let path = absolute(key, text) else { return nil }
    guard path != "/" else {
      problem(key, "is the root directory", "give the spool a directory of its own")
      return nil
    }
    return path
  }

  /// Returns the path of a file of certificates; an empty text means none.
  mutating func certificates(_ key: String, check: CredentialCheck) -> String? {
    guard let text = text(key, example: "\"/etc/waybill/ca.pem\""), !text.isEmpty else { return nil }
    guard let path = absolute(key, text) else { return nil }
    // A system's whole bundle has some 250 KB.
    if let fault = check.fault(file: path, limit: 4 * 1024 * 1024) {
      problem(
        key, "cannot read \(path): \(fault.reason)", "name a PEM file of certificates that the daemon can read",
        mayPass: fault.mayPass)
    }
    return path
  }

  private func absolute(_ key: String, _ text: String) -> String? {
    guard text.hasPrefix("/") else {
      problem(key, "\(Quoted(text)) is a relative path", "write the absolute path, from /")
      return nil
    }
    guard let path = PlainPath.of(text) else {
      problem(key, "\(Quoted(text)) has a .. in it", "write the path that it leads to")
      return nil
    }
    guard path.utf8.count < 4096 else {
      problem(key, "is longer than 4,095 bytes, the limit for a path")
      return nil
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
