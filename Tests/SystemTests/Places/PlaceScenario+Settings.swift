import Foundation

@testable import Harness

/// The configuration of all scenarios.
extension PlaceScenario {
  /// The archive of a scenario that has one.
  func archive(in place: any Place) -> String {
    switch self {
    case .archive: "\(place.spools)/archived"
    case .disk: "\(place.elsewhere)/from-disk"
    default: "\(place.elsewhere)/archived"
    }
  }

  /// The directory that files are released to.
  static func returned(in place: any Place) -> String { "\(place.spools)/returned" }

  private static func keys(in place: any Place) -> String { "\(place.settings)/keys" }

  /// The file with the secret that is put right later.
  static func laterSecret(in place: any Place) -> String { "\(keys(in: place))/later" }

  /// Its `[[spool]]`.
  func section(in place: any Place) -> String {
    let more =
      switch self {
      case .tree: "recursive = true"
      case .group: "marker = \"done.txt\""
      case .pair: "sidecar = \"{name}.json\""
      case .archive, .archiveElsewhere, .disk: "after = \"archive\"\narchive = \"\(archive(in: place))\""
      case .kept: "only = [\"*.pdf\"]\nmin_size = \"4\"\nscan_interval = \"1s\""
      case .inPlace: "after = \"keep\"\nscan_interval = \"1h\""
      case .same: "duplicates = \"skip\""
      case .polled: "scan_interval = \"100ms\""
      default: ""
      }
    let storage =
      switch self {
      case .program, .certificate, .authority, .parts, .key: rawValue
      default: isTroubled ? "troubled" : "main"
      }
    let backend =
      switch self {
      case .token, .certificate, .authority: rawValue
      default: isTroubled ? "troubled" : "main"
      }
    return """
      [[spool]]
      name = "\(rawValue)"
      path = "\(spool(in: place))"
      storage = "\(storage)"
      backend = "\(backend)"
      settle = "50ms"
      settle_unseen = "200ms"
      \(more)

      """
  }

  /// A configuration with this spool alone.
  static func only(
    _ scenario: PlaceScenario, in place: any Place, _ far: PlaceServers, daemon: [String]
  ) -> String {
    """
    [daemon]
    \(daemon.joined(separator: "\n"))

    \(storage("main", far.sandbox.storage, keyLines(in: place)))
    [backend.main]
    url = "\(far.sandbox.backend)"

    \(scenario.section(in: place))
    """
  }

  private static func storage(_ name: String, _ setup: StorageSetup, endpoint: String? = nil, _ lines: [String])
    -> String
  {
    """
    [storage.\(name)]
    endpoint = "\(endpoint ?? setup.endpoint)"
    region = "\(setup.region)"
    bucket = "\(setup.bucket)"
    \(lines.joined(separator: "\n"))

    """
  }

  private static func keyLines(in place: any Place, secret: String? = nil) -> [String] {
    let keys = keys(in: place)
    return [
      "access_key = { file = \"\(keys)/access\" }", "secret_key = { file = \"\(secret ?? keys + "/secret")\" }",
    ]
  }

  private static func configuration(_ place: any Place, _ far: PlaceServers, _ spools: [PlaceScenario]) -> String {
    let (keys, own) = (keys(in: place), keyLines(in: place))
    let certificate = [
      "ca_file = \"\(keys)/ca.pem\"", "client_cert = \"\(keys)/one.pem\"", "client_key = \"\(keys)/one.key\"",
    ]
    let storages = [
      storage("main", far.sandbox.storage, own), storage("troubled", far.troubled.storage, own),
      storage("parts", far.sandbox.storage, own + ["part_size = \"5MiB\""]),
      storage("program", far.sandbox.storage, [#"access_key = { aws = "program" }"#]),
      storage("key", far.sandbox.storage, keyLines(in: place, secret: laterSecret(in: place))),
      storage("certificate", far.sandbox.storage, endpoint: far.gateway, own + certificate),
      storage("authority", far.sandbox.storage, endpoint: far.certified, own),
    ]
    let oauth =
      "token = { oauth = { url = \"\(far.tokens.address)/token\", client_id = \"basic-client\", "
      + "scope = \"documents.write\", client_secret = { file = \"\(keys)/client-secret\" } } }"
    let backends = [
      ("main", far.sandbox.backend, ""), ("troubled", far.troubled.backend, ""), ("token", far.tokens.backend, oauth),
      ("certificate", far.gateway + "/register", certificate.joined(separator: "\n")),
      ("authority", far.certified + "/register", ""),
    ].map { "[backend.\($0)]\nurl = \"\($1)\"\n\($2)\n" }
    let notices = """
      [notify]
      ping = "\(far.receiver.url)/ping"

      [webhook.questions]
      url = "\(far.receiver.url)/hook"
      events = ["question"]

      """
    let daemon = "[daemon]\n\(place.daemonLines.joined(separator: "\n"))\n\n[retry]\ndelays = []\n"
    return ([daemon, notices] + storages + backends + spools.map { $0.section(in: place) }).joined(separator: "\n")
  }

  /// Other values of constants, which debug builds read beside the configuration.
  private static let constants = """
    ping_every = "1s"
    settle_open = "500ms"
    spool.\(PlaceScenario.writer.rawValue).settle_open = "1h"
    spool.\(PlaceScenario.polled.rawValue).watch = "poll"

    """

  /// Writes the configuration of the scenarios that run in a place, and makes their directories.
  static func prepare(_ place: any Place, _ far: PlaceServers) async throws {
    let keys = keys(in: place)
    let storage = far.sandbox.storage
    try await place.install("\(keys)/access", storage.accessKey + "\n")
    try await place.install("\(keys)/secret", storage.secretKey + "\n")
    try await place.install(laterSecret(in: place), "another secret\n")
    try await place.install("\(keys)/client-secret", TokenServer.secret + "\n")
    for name in ["ca.pem", "one.pem", "one.key"] {
      try await place.install("\(keys)/\(name)", String(contentsOfFile: far.certificates.file(name), encoding: .utf8))
    }
    try await place.install(
      "\(keys)/aws", "[profile program]\ncredential_process = \(place.printing) \(keys)/given.json\n")
    try await place.install(
      "\(keys)/given.json",
      #"{"Version": 1, "AccessKeyId": "\#(storage.accessKey)", "SecretAccessKey": "\#(storage.secretKey)"}"#)
    let spools = await all(in: place.kind).filter { ![.reload, .check].contains($0) }
    try await place.install("\(place.settings)/waybill.toml.constants", constants)
    try await place.install("\(place.settings)/waybill.toml", configuration(place, far, spools))
    if spools.contains(.authority) { try await place.trust(far.certificates.file("ca.pem")) }
    if spools.contains(.disk) { try await place.mount(Self.disk.spool(in: place)) }
    if spools.contains(.inPlace) { try await inPlace.makeSource(in: place) }
    let archives = [PlaceScenario.archive, .archiveElsewhere, .disk].map { $0.archive(in: place) }
    for path in spools.filter({ $0 != .inPlace }).map({ $0.spool(in: place) }) + archives + [returned(in: place)] {
      try await place.openSpool(path)
    }
  }
}
