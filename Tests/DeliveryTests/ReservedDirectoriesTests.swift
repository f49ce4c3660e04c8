import ChildProcesses
import Foundation
import Jobs
import Linux
import Settings
import Testing

@testable import Delivery

@Suite struct ReservedDirectoriesTests {
  /// A target below the test's folder, the name of the file, and a word of the reason; nil if the file may go there.
  struct Row: Sendable, CustomTestStringConvertible {
    let target: String
    var name = "scan.pdf"
    /// True if variables say where AWS's own tools would look for keys, and not in the home directory.
    var hasVariables = false
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
    Row(target: "home/.aws", reason: "directory of keys"),
    Row(target: "home/.aws", hasVariables: true, reason: nil),
    Row(target: "aws/config", hasVariables: true, reason: "directory of keys"),
    Row(target: "aws/shared", hasVariables: true, reason: "directory of keys"),
    Row(target: "aws/identity", hasVariables: true, reason: "directory of keys"),
    Row(target: "aws/container", hasVariables: true, reason: "directory of keys"),
    Row(target: "aws/config", reason: nil),
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

  @Test(arguments: rows) func refusesReservedPlacesWithReason(_ row: Row) throws {
    let folder = try TemporaryFolder()
    let root = folder.path
    for name in [
      "state/below/deep", "run/below", "credentials/below", "etc/waybill.d", "etc/keys", "etc/other", "home/.aws",
      "aws/config", "aws/shared", "aws/identity", "aws/container", "spools/one/folder", "spools/one/.waybill",
      "archive", "back",
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
      [storage.other]
      endpoint = "https://s3.example.com"
      bucket = "documents"
      access_key = { aws = "default" }
      [backend.main]
      url = "https://api.example.com"
      [[spool]]
      path = "\(root)/spools/one"
      storage = "main"
      after = "archive"
      archive = "\(root)/archive"
      [[spool]]
      path = "\(root)/spools/two"
      storage = "other"
      """
    let path = root + "/etc/waybill.toml"
    try toml.write(toFile: path, atomically: true, encoding: .utf8)
    var environment = ["CREDENTIALS_DIRECTORY": root + "/credentials", "HOME": root + "/home"]
    if row.hasVariables {
      environment["AWS_CONFIG_FILE"] = root + "/aws/config/aws"
      environment["AWS_SHARED_CREDENTIALS_FILE"] = root + "/aws/shared/aws"
      environment["AWS_WEB_IDENTITY_TOKEN_FILE"] = root + "/aws/identity/token"
      environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = root + "/aws/container/token"
    }
    let places = ReservedDirectories(
      try Configuration.load(path: path, environment: environment, readingCredentials: false), at: path,
      environment: environment)
    let target = try Directory(path: "\(root)/\(row.target)")
    guard let reason = row.reason else { return try places.requireFree(target, for: [Array(row.name.utf8)]) }
    let failure = try #require(throws: Failure.self) { try places.requireFree(target, for: [Array(row.name.utf8)]) }
    #expect(failure.words.contains(reason) && failure.words.contains("; "), "\(failure.words)")
  }
}
