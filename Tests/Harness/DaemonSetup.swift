import Foundation

struct StorageSetup: Sendable {
  var endpoint: String
  var region = "us-east-1"
  var bucket: String
  var accessKey: String
  var secretKey: String
}

struct DaemonSetup: Sendable {
  let folder: URL
  var storage: StorageSetup
  var backend: String
  /// Whether the backend grants uploads, at `uploads` beside its address. Then the storage has no keys, and all that is said of it goes
  /// by the grant.
  var isGranted = false
  var delays: [String] = []
  var grace = "20s"
  /// Nil for `"auto"`.
  var concurrency: Int? = 32
  var key = "{id}/{name}"
  var settle = "50ms"
  var settleUnseen = "200ms"
  var settleOpen = "5min"
  var settleEmpty = "200ms"
  var overwrite = false
  /// The time for which a request that nobody has heard of may take effect; a cleanup looks for as long.
  var completeTimeout = "5s"
  /// Other values of constants, which debug builds read from a file beside the configuration: release builds have the real ones. Those
  /// that most tests need are in ``usualConstants``.
  var constants: [String: String] = [:]
  /// Lines that say where the storage's keys are, in place of those for the two files.
  var keyLines: [String]?
  var daemonLines: [String] = []
  var storageLines: [String] = []
  var backendLines: [String] = []
  var spoolLines: [String] = []
  var furtherSpools = ""
  var stateFolder: URL?
  var spoolFolder: URL?
  /// Whether the spool's folder is made, as an operator would have.
  var makesSpool = true
  /// Names the files of this daemon apart from another one's in the same folder.
  var name = "w"

  var config: URL { folder.appending(path: name + ".toml") }
  var socket: String { folder.appending(path: name + ".sock").path }
  var state: URL { stateFolder ?? folder.appending(path: name + ".state") }
  var spool: URL { spoolFolder ?? folder.appending(path: "spool") }
  var accessKeyFile: URL { folder.appending(path: name + ".access") }
  var secretKeyFile: URL { folder.appending(path: name + ".secret") }

  private var keys: [String] {
    keyLines ?? [
      "access_key = { file = \"\(accessKeyFile.path)\" }", "secret_key = { file = \"\(secretKeyFile.path)\" }",
    ]
  }

  private var place: [String] {
    if isGranted {
      return ["from = \"backend.main\"", "upload_url = \"\(backend.replacing(/[^\/]+$/, with: "uploads"))\""]
    }
    return [
      "endpoint = \"\(storage.endpoint)\"", "region = \"\(storage.region)\"", "bucket = \"\(storage.bucket)\"",
      "overwrite = \(overwrite)",
    ] + keys
  }

  var toml: String {
    """
    [daemon]
    state = "\(state.path)"
    control = "\(socket)"
    concurrency = \(concurrency.map { "\($0)" } ?? "\"auto\"")
    \(daemonLines.joined(separator: "\n"))

    [retry]
    delays = [\(delays.map { "\"\($0)\"" }.joined(separator: ", "))]

    [storage.main]
    \(place.joined(separator: "\n"))
    \(storageLines.joined(separator: "\n"))

    [backend.main]
    url = "\(backend)"
    \(backendLines.joined(separator: "\n"))

    [[spool]]
    name = "documents"
    path = "\(spool.path)"
    key = "\(key)"
    settle = "\(settle)"
    settle_unseen = "\(settleUnseen)"
    \(spoolLines.joined(separator: "\n"))

    \(furtherSpools)

    """
  }

  /// The constants that a test does not wait for. Files go in parts from one small part on, and not from two.
  private var usualConstants: [String: String] {
    let times = [
      "grace": grace, "complete_timeout": completeTimeout, "settle_open": settleOpen, "settle_empty": settleEmpty,
    ]
    var constants = times.mapValues { "\"\($0)\"" }
    constants["jitter"] = "false"
    if toml.contains("part_size = \"5MiB\"") { constants["multipart_threshold"] = "\"5MiB\"" }
    return constants
  }

  /// Has each part of a file sent after the one before it, so that it is known which ones there are.
  mutating func sendInParts() {
    storageLines.append("part_size = \"5MiB\"")
    constants["part_concurrency"] = "1"
  }

  /// Has no request end by time: for those that a server holds until the test has seen what it wanted to see.
  mutating func waitForServers() {
    constants["stall_timeout"] = "\"1d\""
    backendLines.append("timeout = \"1d\"")
  }

  func write() throws {
    if makesSpool { try FileManager.default.createDirectory(at: spool, withIntermediateDirectories: true) }
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    try writeKeys()
    try writeConstants()
    try toml.write(to: config, atomically: true, encoding: .utf8)
  }

  func writeConstants() throws {
    let lines = usualConstants.merging(constants) { $1 }.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)\n" }
    try lines.joined().write(toFile: config.path + ".constants", atomically: true, encoding: .utf8)
  }

  func writeKeys() throws {
    try (storage.accessKey + "\n").write(to: accessKeyFile, atomically: true, encoding: .utf8)
    try (storage.secretKey + "\n").write(to: secretKeyFile, atomically: true, encoding: .utf8)
  }
}
