/// The text of configurations that a setup writes.
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

  /// Returns the configuration of a first setup.
  static func configuration(_ answers: SetupAnswers, at place: SetupPlace) -> String {
    let storage = answers.storage
    var lines = [
      "#:schema file:///usr/share/waybill/schemas/waybill.toml.json",
      "# Made by waybill init. The manual is waybill.toml(5); all settings with",
      "# their defaults: /usr/share/doc/waybill/examples/waybill-all.toml",
      "", "[storage.main]",
      "endpoint   = \(quoted(storage.endpoint))",
      "region     = \(quoted(storage.region))",
      "bucket     = \(quoted(storage.bucket))",
    ]
    switch storage.keys {
    case .written(_, _, let token):
      lines += [file("access_key", place.key("s3-access-key")), file("secret_key", place.key("s3-secret-key"))]
      if token != nil { lines.append("session_token = { file = \(quoted(place.key("s3-session-token"))) }") }
    case .files(let access, let secret):
      lines += [file("access_key", access), file("secret_key", secret)]
    case .instance:
      lines += ["access_key", "secret_key"].map { "\($0) = { aws = \"default\" }" }
    }
    lines += storage.settings.map { "\($0.key) = \($0.value)" }
    lines += ["", "[backend.main]", "url = \(quoted(answers.backend.url))"]
    if let token = answers.backend.tokenFile ?? (answers.backend.token == nil ? nil : place.key("backend-token")) {
      lines.append("token = { file = \(quoted(token)) }")
    }
    for spool in answers.spools {
      lines += ["", "[[spool]]"] + SetupPlan.nameLine(of: spool.path) + ["path = \(quoted(spool.path))"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func file(_ key: String, _ path: String) -> String { "\(key) = { file = \(quoted(path)) }" }
}
