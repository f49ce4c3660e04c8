import ChildProcesses
import Foundation
import Jobs
import Linux
import Settings
import Testing

@testable import Delivery

/// The directories into which no file is released.
@Suite struct ReservedDirectoriesTests {
  /// A target below the test's folder, the name of the file, and a word of the reason; nil if the file may go there.
  struct Row: Sendable, CustomTestStringConvertible {
    let target: String
    var name = "scan.pdf"
    let reason: String?

    var testDescription: String { "\(target)/\(name)" }
  }

  static let rows = [
    Row(target: "state", reason: "state directory"),
    Row(target: "state/below/deep", reason: "state directory"),
    Row(target: "link-to-state", reason: "state directory"),
    Row(target: "state/below/..", reason: "state directory"),
    Row(target: "run", reason: "control socket"),
    Row(target: "credentials", reason: "keys"),
    Row(target: "credentials/below", reason: "keys"),
    Row(target: "etc", reason: "directory of the configuration"),
    Row(target: "etc/waybill.d", reason: "part of the configuration"),
    Row(target: "etc/keys", reason: "directory of keys"),
    Row(target: "spools/one", reason: "in the spool one"),
    Row(target: "spools/one/folder", reason: "in the spool one"),
    Row(target: "spools/one/.waybill", reason: "in the spool one"),
    // A spool that is not there: a group of its name would become one.
    Row(target: "spools", name: "two", reason: "in the spool two"),
    Row(target: "spools", name: "three", reason: nil),
    Row(target: "archive", reason: nil),
    Row(target: "run/below", reason: nil),
    Row(target: "etc/other", reason: nil),
    Row(target: "back", reason: nil),
    Row(target: ".", reason: nil),
  ]

  /// Where keys are that AWS's own tools would use: in the home directory, or where variables say.
  @Test(
    arguments: ["default", "scans"],
    [
      [:],
      [
        "AWS_CONFIG_FILE": "config/aws", "AWS_SHARED_CREDENTIALS_FILE": "credentials/aws",
        "AWS_WEB_IDENTITY_TOKEN_FILE": "identity/token", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "container/token",
      ],
    ] as [[String: String]]) func refusesPlacesOfAWSKeys(_ name: String, _ variables: [String: String]) throws
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let root = folder.path
    let names = ["home/.aws", "config", "credentials", "identity", "container", "back"]
    for name in names {
      try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
    }
    let path = root + "/waybill.toml"
    try """
    [daemon]
    state = "\(root)/state"
    control = "\(root)/run/control.sock"
    [storage.main]
    endpoint = "https://s3.example.com"
    bucket = "documents"
    access_key = { aws = "\(name)" }
    [backend.main]
    url = "https://api.example.com"
    [[spool]]
    path = "\(root)/spool"
    """.write(toFile: path, atomically: true, encoding: .utf8)
    var environment = variables.mapValues { "\(root)/\($0)" }
    environment["HOME"] = root + "/home"
    let loaded = try Configuration.load(path: path, environment: environment, readingCredentials: false)
    let places = ReservedDirectories(loaded, at: path, environment: environment)
    let isReserved = try names.filter { name in
      let target = try Directory(path: "\(root)/\(name)")
      return (try? places.requireFree(target, for: [Array("credentials".utf8)])) == nil
    }
    #expect(isReserved == (variables.isEmpty ? ["home/.aws"] : ["config", "credentials", "identity", "container"]))
  }

  @Test(arguments: rows) func refusesReservedPlacesWithReason(_ row: Row) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let root = folder.path
    for name in [
      "state/below/deep", "run/below", "credentials/below", "etc/waybill.d", "etc/keys", "etc/other",
      "spools/one/folder",
      "spools/one/.waybill", "archive", "back",
    ] {
      try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(atPath: root + "/link-to-state", withDestinationPath: root + "/state")
    for key in ["access", "secret"] { try Data("key\n".utf8).write(to: URL(filePath: "\(root)/etc/keys/\(key)")) }
    let toml = """
      [daemon]
      state = "\(root)/state"
      control = "\(root)/run/control.sock"
      [storage.main]
      endpoint = "https://s3.example.com"
      bucket = "documents"
      access_key = { file = "\(root)/etc/keys/access" }
      secret_key = { file = "\(root)/etc/keys/secret" }
      [backend.main]
      url = "https://api.example.com"
      [[spool]]
      path = "\(root)/spools/one"
      after = "archive"
      archive = "\(root)/archive"
      [[spool]]
      path = "\(root)/spools/two"
      """
    let path = root + "/etc/waybill.toml"
    try toml.write(toFile: path, atomically: true, encoding: .utf8)
    let places = ReservedDirectories(
      try Configuration.load(path: path, environment: [:]), at: path,
      environment: ["CREDENTIALS_DIRECTORY": root + "/credentials"])
    let target = try Directory(path: "\(root)/\(row.target)")
    guard let reason = row.reason else { return try places.requireFree(target, for: [Array(row.name.utf8)]) }
    let failure = try #require(throws: Failure.self) { try places.requireFree(target, for: [Array(row.name.utf8)]) }
    #expect(failure.words.contains(reason) && failure.words.contains("; "), "\(failure.words)")
  }
}
