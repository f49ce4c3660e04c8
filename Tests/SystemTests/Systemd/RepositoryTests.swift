import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Signed trees of packages, by apt and dnf themselves.
@Suite(.slot, .needs(.systemd, .debhelper))
struct RepositoryTests {
  /// Boots a machine whose apt knows of no other source.
  private func withAptMachine(_ body: (SystemdMachine) async throws -> Void) async throws {
    try await withBareMachine { machine in
      try await machine.require(
        "sh", "-c",
        "rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*; rm -f /etc/apt/apt.conf.d/*proxy*"
      )
      try await body(machine)
    }
  }

  /// What the page has an operator type, with the tree of a test.
  private func commands(_ tree: PackageTree) throws -> [String] {
    let all = try InstallPage.commands("From a repository").filter { !$0.hasPrefix("dnf") }
    guard all.count == 4 else { throw Missing("docs/install.md has other commands for a repository: \(all)") }
    return all.map { $0.replacing("https://packages.example.com/waybill/", with: tree.url + "/") }
      .map { $0.replacing("curl -fsSL", with: "curl -q --noproxy '*' -fsSL") }
      .map { $0.replacing("apt update", with: "apt-get -q update") }
  }

  private func debs(_ package: DebianPackage) -> [String] { [package.path, package.sandboxPath, package.fleetPath] }

  @Test func aptInstallsFromSignedTree() async throws {
    let (first, second) = (try await DebianPackage.first.value, try await DebianPackage.second.value)
    try await withPackageTree { tree in
      let made = try await tree.add(debs(first), by: "apt-repo")
      #expect(made.status == 0 && made.output.contains("3 packages"), "\(made)")
      try await withAptMachine { machine in
        try await machine.type(try commands(tree))
        #expect(try await machine.installed() == first.version)

        // A new version comes beside the old one, and apt goes over to it.
        #expect(try await tree.add(debs(second), by: "apt-repo").status == 0)
        #expect(try tree.files(".deb").count == 6)
        try await machine.type(["apt-get -q update", "apt install waybill"])
        #expect(try await machine.installed() == second.version)
        // The way back is open.
        try await machine.type(["apt-get -q -y --allow-downgrades install waybill=\(first.version)"])
        #expect(try await machine.installed() == first.version)
      }
      // The same packages again change nothing; others under the same name are refused.
      #expect(try await tree.add(debs(second), by: "apt-repo").status == 0)
      try tree.spoil("pool/main/w/waybill/" + URL(filePath: second.sandboxPath).lastPathComponent)
      let refused = try await tree.add(debs(second), by: "apt-repo")
      #expect(refused.status == 65 && refused.errors.contains("with other bytes"), "\(refused)")
    }
  }

  @Test(.needs(.rpmbuild, .dnf)) func dnfReadsSignedTree() async throws {
    let packages = try await RPMPackageTests.paths.value
    try await withPackageTree { tree in
      let made = try await tree.add(packages, by: "rpm-repo")
      #expect(made.status == 0 && made.output.contains("3 packages"), "\(made)")
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      try FileManager.default.createDirectory(atPath: folder.file("repos"), withIntermediateDirectories: false)
      try FileManager.default.copyItem(atPath: tree.tree + "/waybill.repo", toPath: folder.file("repos/waybill.repo"))
      func dnf(_ cache: String, _ words: String...) async throws -> Command {
        let places = ["--setopt", "reposdir=" + folder.file("repos"), "--setopt", "cachedir=" + folder.file(cache)]
        return try await Command.run(
          Products.unpacked("repositories") + [
            "dnf", "-y", "--noplugins", "--installroot", folder.path, "--releasever", "1",
          ]
            + places + words, environment: ["no_proxy": "*", "NO_PROXY": "*"])
      }
      let list = try await dnf("cache", "list", "--available")
      #expect(list.status == 0, "\(list)")
      for name in ["waybill.", "waybill-fleet.", "waybill-sandbox."] {
        #expect(list.output.split(separator: "\n").contains { $0.hasPrefix(name) }, "\(list)")
      }
      // Each package has a signature of the key, which rpm knows once it has it.
      let database = ["--dbpath", folder.file("rpm")]
      try await Command.require(["rpm"] + database + ["--import", tree.tree + "/waybill.asc"])
      let signed = try tree.files(".rpm")
      #expect(signed.count == 3)
      for rpm in signed {
        let words = try await Command.run(["rpm"] + database + ["-Kv", tree.tree + "/" + rpm])
        #expect(words.status == 0 && words.output.contains("RSA/SHA512 Signature, key ID"), "\(words)")
      }
      // The same packages again stay as they are.
      let before = try signed.map { try Data(contentsOf: URL(filePath: tree.tree + "/" + $0)) }
      #expect(try await tree.add(packages, by: "rpm-repo").status == 0)
      #expect(try signed.map { try Data(contentsOf: URL(filePath: tree.tree + "/" + $0)) } == before)

      try tree.spoil(signed[0])
      #expect(try await Command.run(["rpm"] + database + ["-K", tree.tree + "/" + signed[0]]).status != 0)
      try tree.spoil("repodata/repomd.xml")
      let changed = try await dnf("another-cache", "list", "--available")
      #expect(changed.status != 0, "\(changed)")
    }
  }

  @Test(arguments: ["apt-repo", "rpm-repo"]) func noKeyNoTree(script: String) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let words = [Products.source("scripts/" + script), "--to", folder.file("tree")]
    let environment: [String: String?] = [
      "GNUPGHOME": folder.path, "WAYBILL_SIGNING_KEY": nil, "WAYBILL_REPOSITORY_URL": nil,
    ]
    let noURL = try await Command.run(words, environment: environment)
    #expect(noURL.status == 64 && noURL.errors.contains("--url https://"), "\(noURL)")
    let noKey = try await Command.run(words + ["--url", "http://127.0.0.1"], environment: environment)
    #expect(noKey.status == 64 && noKey.errors.contains("gpg --quick-generate-key"), "\(noKey)")
    let wrongKey = try await Command.run(
      words + ["--url", "http://127.0.0.1", "--key", "nobody"], environment: environment)
    #expect(wrongKey.status == 65 && wrongKey.errors.contains("no secret key 'nobody'"), "\(wrongKey)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("tree")))
  }
}
