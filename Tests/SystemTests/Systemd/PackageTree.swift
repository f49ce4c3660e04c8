import ChildProcesses
import Foundation

@testable import Harness

/// A signed tree of packages, as `make apt-repo` and `make rpm-repo` make it, with a key and a web server of its own.
final class PackageTree: Sendable {
  /// Where the packages are to be found.
  let url: String
  /// The tree on disk.
  let tree: String
  private let folder: TemporaryFolder
  private let server: ChildProcess

  private static let address = "packages@example.com"

  /// The variables by which gpg uses a key of this tree alone.
  private var environment: [String: String?] { ["GNUPGHOME": folder.file("gpg"), "WAYBILL_SIGNING_KEY": Self.address] }

  /// Makes the key and an empty tree, and serves it.
  init() async throws {
    folder = try TemporaryFolder()
    tree = try folder.folder("tree").path
    let port = Ports.free()
    url = "http://127.0.0.1:\(port)"
    try FileManager.default.createDirectory(
      atPath: folder.file("gpg"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    server = try ChildProcess(
      ["python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", tree, String(port)], folder: folder.url,
      log: "server")
    let words = [
      "--batch", "--passphrase", "", "--quick-generate-key", "Packages <\(Self.address)>", "rsa2048", "sign", "never",
    ]
    let key = try await Command.run(["gpg"] + words, environment: environment)
    guard key.status == 0 else { throw Missing("gpg made no key: \(key.errors)") }
    try await until("the server to serve") { [url] in
      try await Command.run(["curl", "-q", "-fsS", "--noproxy", "*", "-o", "/dev/null", url]).status == 0
    }
  }

  /// Puts packages into the tree by a script of `scripts`.
  func add(_ packages: [String], by script: String) async throws -> Command {
    let given = try folder.folder("given")
    for path in packages {
      let place = given.appending(path: URL(filePath: path).lastPathComponent)
      try FileManager.default.copyItem(atPath: path, toPath: place.path)
    }
    let option = script == "apt-repo" ? "--debs" : "--rpms"
    let words = ["--url", url, "--to", tree, option, given.path]
    let command = try await Command.run(
      Products.unpacked("repositories") + [Products.source("scripts/" + script)] + words, environment: environment)
    try FileManager.default.removeItem(at: given)
    return command
  }

  /// The paths of files in the tree that end so.
  func files(_ end: String) throws -> [String] {
    let all = FileManager.default.enumerator(atPath: tree)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(end) }.sorted()
  }

  /// Changes one byte in the middle of a file of the tree.
  func spoil(_ path: String) throws {
    let file = URL(filePath: tree + "/" + path)
    var data = try Data(contentsOf: file)
    data[data.count / 2] ^= 1
    try data.write(to: file)
  }

  /// For the end of a test: its agent of gpg ends too.
  func cut() async {
    server.cut()
    _ = try? await Command.run(["gpgconf", "--kill", "all"], environment: environment)
    folder.remove()
  }
}

/// Makes a tree, and takes it away whatever happens.
func withPackageTree(_ body: (PackageTree) async throws -> Void) async throws {
  let tree = try await PackageTree()
  do {
    try await body(tree)
  } catch {
    await tree.cut()
    throw error
  }
  await tree.cut()
}
