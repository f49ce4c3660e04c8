extension ConfigurationPlan {
  package func text(root: String) -> String {
    var lines = [
      "[daemon]", "state = \"\(root)/state\"", "control = \"\(root)/control.sock\"",
      "concurrency = \(daemon.concurrency.map(String.init) ?? "\"auto\"")",
      "history = \"\(daemon.historySeconds.map { "\($0)s" } ?? "\(daemon.historyDays)d")\"", "journal = \"debug\"",
      "min_free = \"0\"", "",
      "[retry]", "delays = [\(daemon.delays.map { "\"\($0)s\"" }.joined(separator: ", "))]",
      "unavailable = \"\(daemon.retriesUnavailable ? "retry" : "abort")\"",
    ]
    for storage in storages {
      let grantor = backends.first { $0.name == storage.grantor }
      lines += grantor.map { storage.lines(grantedBy: $0) } ?? storage.lines(root: root)
    }
    for backend in backends { lines += backend.lines(root: root) }
    for spool in spools { lines += spool.lines(root: root) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text of the file with constants that stands beside waybill.toml, under the name that debug builds look for.
  package var constants: String {
    let most = daemon.keepFiles.map { "keep_files = \($0)\n" } ?? ""
    return "admit_ahead = \(daemon.admitAhead)\n" + most
      + storages.filter { $0.grantor == nil }
      .map { "storage.\($0.name).multipart_threshold = \"\($0.megabytesInParts)MiB\"\n" }.joined()
  }

  /// The ending of that file's name, behind waybill.toml.
  package static let constantsEnding = ".constants"

  /// The files of keys and tokens that the configuration names, from the world's root, with the key that each has at first.
  package var keyFiles: [(path: String, text: String)] {
    let hosts = storages.map(\.host) + backends.filter(\.hasToken).map(\.host)
    return hosts.map { (Self.keyFile(of: $0), Self.firstKey(of: $0)) }
      + storages.map { ($0.secretFile, "a secret of the simulation") }
  }

  package static func keyFile(of host: String) -> String { "keys/\(host)" }

  /// The access key or token that a server takes at first.
  package static func firstKey(of host: String) -> String { "key-1-of-\(host)" }
}

extension ConfigurationPlan.Storage {
  fileprivate func lines(grantedBy backend: ConfigurationPlan.Backend) -> [String] {
    let far = "\(backend.isTLS ? "https" : "http")://\(backend.host)\(ModelBackend.uploadsPath)"
    return [
      "", "[storage.\(name)]", "from = \"backend.\(backend.name)\"",
      "upload_url = \"\(far)\(isTLS ? "https" : "http")/\(host)/\(bucket)/\(grantSeconds)\"",
      "upload_hosts = [\"\(host)\"]", "checksum = \"\(checksum == "none" ? "none" : "sha256")\"",
    ]
  }

  fileprivate var secretFile: String { "keys/\(host).secret" }

  fileprivate func lines(root: String) -> [String] {
    [
      "", "[storage.\(name)]", "endpoint = \"\(isTLS ? "https" : "http")://\(host)\"", "bucket = \"\(bucket)\"",
      "access_key = { file = \"\(root)/\(ConfigurationPlan.keyFile(of: host))\" }",
      "secret_key = { file = \"\(root)/\(secretFile)\" }", "checksum = \"\(checksum)\"",
      "overwrite = \(overwrites)", "part_size = \"5MiB\"",
    ] + (seal.map { [$0.line] } ?? []) + (rate.map { ["rate = \($0)"] } ?? [])
  }
}

extension ConfigurationPlan.Backend {
  fileprivate func lines(root: String) -> [String] {
    [
      "", "[backend.\(name)]", "url = \"\(isTLS ? "https" : "http")://\(host)/documents\"",
      "conflict = \"\(takesConflicts ? "registered" : "ask")\"",
    ] + (hasHealth ? ["health = \"\(isTLS ? "https" : "http")://\(host)\(ModelBackend.healthPath)\""] : [])
      + (hasToken ? ["token = { file = \"\(root)/\(ConfigurationPlan.keyFile(of: host))\" }"] : [])
  }
}

extension SpoolPlan {
  fileprivate func lines(root: String) -> [String] {
    var lines = [
      "", "[[spool]]", "name = \"\(name)\"", "path = \"\(root)/\(directory)\"", "storage = \"\(storage)\"",
      "backend = \"\(backend)\"", "priority = \(priority)",
    ]
    if isRecursive { lines.append("recursive = true") }
    if hasPlainKeys { lines.append("key = \"{spool}/{path}/{name}\"") }
    if keeps { lines += ["after = \"keep\""] }
    if let prefix { lines += ["match = '\(prefix).+'", "unmatched = \"ignore\""] }
    if skipsDuplicates { lines.append("duplicates = \"skip\"") }
    if archives { lines += ["after = \"archive\"", "archive = \"\(root)/\(archive)\""] }
    switch kind {
    case .plain: break
    case .sidecar:
      lines += ["sidecar = \"{name}.json\"", "sidecar_missing = \"\(sendsWithoutSidecar ? "send" : "ask")\""]
      if asksAtOnce { lines.append("sidecar_wait = \"0s\"") }
    case .group: lines += ["marker = \"\(Self.marker)\""]
    case .recursive: lines.append("recursive = true")
    }
    return lines
  }
}
