import Credentials

/// The texts that a setup writes.
enum SetupText {
  /// The line by which a later run knows a configuration that it may go on with.
  static let mark = "# Made by waybill init."

  /// A file with a secret.
  struct KeyFile: Equatable {
    var path: String
    var secret: Secret
  }

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

  /// Returns the files of the secrets among the answers.
  static func keyFiles(_ answers: SetupAnswers, at place: SetupPlace) -> [KeyFile] {
    var files: [KeyFile] = []
    if case .written(let access, let secret, let token)? = answers.keys {
      files += [
        KeyFile(path: place.key("s3-access-key"), secret: access),
        KeyFile(path: place.key("s3-secret-key"), secret: secret),
      ]
      if let token { files.append(KeyFile(path: place.key("s3-session-token"), secret: token)) }
    }
    if let token = answers.token { files.append(KeyFile(path: place.key("backend-token"), secret: token)) }
    return files
  }

  /// Returns the configuration of a first setup.
  static func configuration(_ answers: SetupAnswers, at place: SetupPlace) -> String {
    var lines = [
      "#:schema file:///usr/share/waybill/schemas/waybill.toml.json",
      mark + " The manual is waybill.toml(5); all settings with",
      "# their defaults: /usr/share/doc/waybill/examples/waybill-all.toml",
      "", "[storage.main]",
      "endpoint   = \(quoted(answers.endpoint ?? ""))",
      "region     = \(quoted(answers.region ?? ""))",
      "bucket     = \(quoted(answers.bucket ?? ""))",
    ]
    func file(_ key: String, _ path: String) -> String { "\(key) = { file = \(quoted(path)) }" }
    switch answers.keys {
    case .written(_, _, let token)?:
      lines += [file("access_key", place.key("s3-access-key")), file("secret_key", place.key("s3-secret-key"))]
      if token != nil { lines.append(file("session_token", place.key("s3-session-token"))) }
    case .files(let access, let secret)?: lines += [file("access_key", access), file("secret_key", secret)]
    case .instance?, nil: lines += ["access_key", "secret_key"].map { "\($0) = { aws = \"default\" }" }
    }
    lines += (answers.provider?.settings ?? []).map { "\($0.key) = \($0.value)" }
    lines += ["", "[backend.main]", "url = \(quoted(answers.backend ?? ""))"]
    if let token = answers.token == nil ? answers.tokenFile : place.key("backend-token") {
      lines.append(file("token", token))
    }
    let spool = answers.spool ?? SetupAnswers.usualSpool
    lines += ["", "[[spool]]"] + nameLine(of: spool) + ["path = \(quoted(spool))"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the name that a spool gets by its path: the last part, with "-" for what a name cannot have.
  static func name(of path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    return String(
      last.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" })
  }

  /// Returns the line that names a spool; none if its path does.
  static func nameLine(of path: String) -> [String] {
    let name = name(of: path)
    return path.hasSuffix("/" + name) ? [] : ["name = \(quoted(name))"]
  }
}
