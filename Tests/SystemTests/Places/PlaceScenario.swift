import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What is done in each place. Each scenario has a spool of its own, and names of files that no other has.
enum PlaceScenario: String, CaseIterable {
  case file, tree, group, pair
  /// The archive is beside the spools, or outside of their directory.
  case archive
  case archiveElsewhere = "archive-elsewhere"
  case add, release, token
  /// Keys come from a `credential_process`.
  case program
  /// Storage and backend want a client certificate.
  case certificate
  /// The spool is not there at the start.
  case reload

  func spool(in place: any Place) -> String { "\(place.spools)/\(rawValue)" }

  private static func archive(in place: any Place) -> String { "\(place.spools)/archived" }
  private static func archiveElsewhere(in place: any Place) -> String { "\(place.elsewhere)/archived" }
  private static func returned(in place: any Place) -> String { "\(place.spools)/returned" }

  /// Its `[[spool]]`.
  private func section(in place: any Place) -> String {
    let more =
      switch self {
      case .tree: "recursive = true"
      case .group: "group = \"directory\"\nmarker = \"done.txt\""
      case .pair: "sidecar = \"{name}.json\""
      case .archive: "after = \"archive\"\narchive = \"\(Self.archive(in: place))\""
      case .archiveElsewhere: "after = \"archive\"\narchive = \"\(Self.archiveElsewhere(in: place))\""
      default: ""
      }
    return """
      [[spool]]
      name = "\(rawValue)"
      path = "\(spool(in: place))"
      storage = "\(self == .program ? "program" : self == .certificate ? "certificate" : "main")"
      backend = "\(self == .token ? "tokens" : self == .certificate ? "certificate" : "main")"
      settle = "50ms"
      settle_unseen = "200ms"
      settle_open = "500ms"
      \(more)

      """
  }

  /// Writes the configuration of all scenarios, and makes their directories.
  static func prepare(_ place: any Place, _ far: PlaceFarSides) async throws {
    let keys = "\(place.settings)/keys"
    let storage = far.sandbox.storage
    try await place.install("\(keys)/access", storage.accessKey + "\n")
    try await place.install("\(keys)/secret", storage.secretKey + "\n")
    try await place.install("\(keys)/client-secret", TokenServer.secret + "\n")
    for name in ["ca.pem", "one.pem", "one.key"] {
      try await place.install("\(keys)/\(name)", String(contentsOfFile: far.certificates.file(name), encoding: .utf8))
    }
    try await place.install(
      "\(keys)/aws", "[profile program]\ncredential_process = \(place.printing) \(keys)/given.json\n")
    try await place.install(
      "\(keys)/given.json",
      #"{"Version": 1, "AccessKeyId": "\#(storage.accessKey)", "SecretAccessKey": "\#(storage.secretKey)"}"#)
    let files = #"access_key = { file = "\#(keys)/access" }"# + "\n" + #"secret_key = { file = "\#(keys)/secret" }"#
    let certificate = [
      "ca_file = \"\(keys)/ca.pem\"", "client_cert = \"\(keys)/one.pem\"", "client_key = \"\(keys)/one.key\"",
    ]
    .joined(separator: "\n")
    let storages = [
      ("main", storage.endpoint, files), ("program", storage.endpoint, #"access_key = { aws = "program" }"#),
      ("certificate", far.gateway, files + "\n" + certificate),
    ].map { name, endpoint, lines in
      """
      [storage.\(name)]
      endpoint = "\(endpoint)"
      region = "\(storage.region)"
      bucket = "\(storage.bucket)"
      \(lines)

      """
    }
    let oauth =
      "token = { oauth = { url = \"\(far.tokens.address)/token\", client_id = \"basic-client\", "
      + "scope = \"documents.write\", client_secret = { file = \"\(keys)/client-secret\" } } }"
    let backends = [
      ("main", far.sandbox.backend, ""), ("tokens", far.tokens.backend, oauth),
      ("certificate", far.gateway + "/register", certificate),
    ].map { "[backend.\($0)]\nurl = \"\($1)\"\n\($2)\n" }
    let first = allCases.filter { $0 != .reload }
    try await place.install(
      "\(place.settings)/waybill.toml",
      (["[retry]\ndelays = []\n"] + storages + backends + first.map { $0.section(in: place) }).joined(separator: "\n"))
    let paths = first.map { $0.spool(in: place) }
    for path in paths + [archive(in: place), archiveElsewhere(in: place), returned(in: place)] {
      try await place.openSpool(path)
    }
  }

  func run(_ visit: PlaceVisit) async throws {
    switch self {
    case .file: try await dropFiles(visit)
    case .tree: try await dropTrees(visit)
    case .group: try await dropGroup(visit)
    case .pair: try await dropPair(visit)
    case .archive: try await archive(visit, in: Self.archive(in: visit.place))
    case .archiveElsewhere: try await archive(visit, in: Self.archiveElsewhere(in: visit.place))
    case .add: try await add(visit)
    case .release: try await release(visit)
    case .token, .program, .certificate:
      try await visit.drop("printf \(rawValue) > .x && mv .x \(rawValue).pdf")
      try await visit.expectRegistered("\(rawValue).pdf", rawValue)
    case .reload: try await reload(visit)
    }
    try await visit.expectEmpty()
  }

  private func dropFiles(_ visit: PlaceVisit) async throws {
    try await visit.drop("printf moved > .x && mv .x moved.pdf; printf 'in place' > 'in place.pdf'")
    try await visit.expectRegistered("moved.pdf", "moved")
    try await visit.expectRegistered("in place.pdf", "in place")
  }

  private func dropTrees(_ visit: PlaceVisit) async throws {
    try await visit.drop("mkdir -p .t/deep/er; printf one > .t/one.pdf; printf two > .t/deep/er/two.pdf; mv .t t")
    try await visit.drop("mkdir -p made/here; printf three > made/here/three.pdf")
    for (name, text) in [("one.pdf", "one"), ("two.pdf", "two"), ("three.pdf", "three")] {
      try await visit.expectRegistered(name, text)
    }
  }

  private func dropGroup(_ visit: PlaceVisit) async throws {
    try await visit.drop(
      "mkdir -p run/data/deep; printf a > run/a; printf b > run/data/deep/b; printf . > run/done.txt")
    let job = try await visit.place.job(named: "run", in: "registered")
    #expect(job.files == ["stored": 2, "all": 2])
    let bodies = try visit.far.sandbox.registrations().map(\.body).filter { $0.id == job.id }
    #expect(bodies.count == 1)
    #expect(bodies.first?.files.array.compactMap(\.path.string).sorted() == ["a", "data/deep/b"])
    let objects = try await visit.far.sandbox.objects()
    #expect(objects["\(job.key.string ?? "")data/deep/b"]?.sha256.string == (try await Bytes.sha256(Data("b".utf8))))
  }

  private func dropPair(_ visit: PlaceVisit) async throws {
    try await visit.drop(#"printf document > scan.pdf; printf '{"case": "881"}' > scan.pdf.json"#)
    let job = try await visit.expectRegistered("scan.pdf", "document")
    #expect(job.metadata == ["case": "881"])
  }

  private func archive(_ visit: PlaceVisit, in archive: String) async throws {
    try await visit.drop("printf kept > .x && mv .x \(rawValue).pdf")
    try await visit.expectRegistered("\(rawValue).pdf", "kept")
    try await visit.expectEmpty()
    try await until("the file to be archived") { try visit.place.files(below: archive) == ["\(rawValue).pdf"] }
    #expect(try visit.place.read("\(archive)/\(rawValue).pdf") == "kept")
  }

  private func add(_ visit: PlaceVisit) async throws {
    let mine = "\(visit.place.elsewhere)/mine.pdf"
    try await visit.place.install(mine, "my own")
    let command = try await visit.place.operate([
      "waybill", "add", mine, "--spool", rawValue, "--name", "added.pdf", "--meta", "case=7", "--wait",
    ])
    #expect(command.status == 0, "\(command)")
    let job = try await visit.expectRegistered("added.pdf", "my own")
    #expect(job.metadata == ["case": "7"])
    #expect(try visit.place.read(mine) == "my own")
  }

  private func release(_ visit: PlaceVisit) async throws {
    func operate(_ words: String...) async throws -> Command { try await visit.place.operate(["waybill"] + words) }
    let pause = try await operate("pause", "--spool", rawValue)
    #expect(pause.status == 0, "\(pause)")
    try await visit.drop("printf back > .x && mv .x back.pdf")
    let job = try await visit.place.job(named: "back.pdf", in: "queued")
    let number = String(job.job.int ?? 0)
    let cancel = try await operate("cancel", number)
    #expect(cancel.status == 0, "\(cancel)")
    let resume = try await operate("resume", "--spool", rawValue)
    #expect(resume.status == 0, "\(resume)")
    let returned = Self.returned(in: visit.place)
    // Another directory than the one that is meant, or one that goes with the service, must not have it.
    for folder in ["/tmp", "/var/tmp", "/etc", "/none"] {
      let refused = try await operate("release", number, "--to", folder)
      #expect(refused.status == 1 && refused.errors.contains("cannot"), "\(folder): \(refused)")
      #expect(try await visit.place.job(job.job.int ?? 0).state == "cancelled")
    }
    let release = try await operate("release", number, "--to", returned)
    #expect(release.status == 0, "\(release)")
    #expect(try visit.place.read("\(returned)/back.pdf") == "back")
    #expect(try await !visit.far.sandbox.objects().keys.contains { $0.hasSuffix("back.pdf") })
  }

  private func reload(_ visit: PlaceVisit) async throws {
    try await visit.place.openSpool(visit.spool)
    try await visit.place.install("\(visit.place.settings)/waybill.d/\(rawValue).toml", section(in: visit.place))
    let reload = try await visit.place.reload()
    #expect(reload.status == 0, "\(reload)")
    try await visit.drop("printf new > .x && mv .x reloaded.pdf")
    try await visit.expectRegistered("reloaded.pdf", "new")
  }
}
