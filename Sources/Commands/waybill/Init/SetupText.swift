import Credentials

/// The texts that a setup writes.
enum SetupText {
  /// Returns a string as TOML writes it.
  static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
          + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }

  /// Returns the names of the files for the secrets among the answers.
  static func keyFiles(_ answers: SetupAnswers) -> [(name: String, secret: Secret)] {
    var files: [(name: String, secret: Secret)] = []
    if case .typed(let access, let secret)? = answers.keys {
      files = [(name: "s3-access-key", secret: access), (name: "s3-secret-key", secret: secret)]
    }
    if let token = answers.token { files.append((name: "backend-token", secret: token)) }
    return files
  }

  /// Returns the configuration of a first setup.
  ///
  /// - Parameter keys: the beginning of the paths of the key files, to which their names are added.
  static func configuration(_ answers: SetupAnswers, keys: String) -> String {
    var lines = [
      "#:schema file:///usr/share/waybill/schemas/waybill.toml.json",
      "# Made by waybill init. The manual is waybill.toml(5); all settings with",
      "# their defaults: /usr/share/doc/waybill/examples/waybill-all.toml",
      "", "[storage.main]",
      "endpoint   = \(quoted(answers.endpoint ?? ""))",
      "region     = \(quoted(answers.region ?? answers.likelyRegion))",
      "bucket     = \(quoted(answers.bucket ?? ""))",
    ]
    func file(_ key: String, _ path: String) -> String { "\(key) = { file = \(quoted(path)) }" }
    switch answers.keys {
    case .typed?: lines += [file("access_key", keys + "s3-access-key"), file("secret_key", keys + "s3-secret-key")]
    case .files(let access, let secret)?: lines += [file("access_key", access), file("secret_key", secret)]
    case .instance?, nil: lines += ["access_key", "secret_key"].map { "\($0) = { aws = \"default\" }" }
    }
    if let setting = answers.setting { lines.append(setting) }
    lines += ["", "[backend.main]", "url = \(quoted(answers.backend ?? ""))"]
    if let token = answers.token == nil ? answers.tokenFile : keys + "backend-token" {
      lines.append(file("token", token))
    }
    return (lines + [""]).joined(separator: "\n") + "\n" + spool(answers.spool ?? SetupAnswers.usualSpool)
  }

  /// Returns the section of a spool.
  ///
  /// - Parameter name: its name; nil for that of its path.
  static func spool(_ path: String, name: String? = nil) -> String {
    let name = name ?? self.name(of: path)
    let nameLine = path.hasSuffix("/" + name) ? "" : "name = \(quoted(name))\n"
    return "[[spool]]\n\(nameLine)path = \(quoted(path))\n"
  }

  /// Returns the name that a spool gets by its path: the last part, with "-" for what a name cannot have.
  static func name(of path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    return String(
      last.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" })
  }
}
