import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The .rpm: the files of the Debian package, as rpm's own tools read it.
@Suite(.slot, .needs(.systemd, .debhelper, .rpmbuild))
struct RPMPackageTests {
  static let paths = Task {
    let output = try await Command.require([
      Products.source("scripts/rpm"), "--programs", Products.folder.path, "--to", Products.source(".build-rpm/tests"),
    ])
    let paths = output.split(separator: "\n").map(String.init)
    guard paths.count == 3 else { throw Missing("scripts/rpm made other packages: \(output)") }
    return paths
  }

  /// The places of files that each kind of system has elsewhere, in the words of the .rpm.
  private static func plain(_ path: String) -> String? {
    let path = path.hasPrefix("/lib/") ? "/usr" + path : path
    if path.hasPrefix("/usr/share/lintian/") { return nil }
    return switch path {
    case _ where path.hasPrefix("/usr/share/zsh/vendor-completions/"):
      path.replacing("vendor-completions", with: "site-functions")
    case "/usr/share/doc/waybill/changelog.gz": "/usr/share/doc/waybill/CHANGELOG.md"
    case "/usr/share/doc/waybill/copyright": "/usr/share/doc/waybill/LICENSE"
    case "/usr/share/doc/waybill-sandbox/copyright", "/usr/share/doc/waybill-fleet/copyright":
      path.replacing("copyright", with: "LICENSE")
    // What changed in them is told with the daemon's own package.
    case "/usr/share/doc/waybill-sandbox/changelog.gz", "/usr/share/doc/waybill-fleet/changelog.gz": nil
    case _ where path.hasSuffix("/changelog.Debian.gz"): nil
    // Growing pauses between restarts, where systemd knows them.
    case _ where path.hasSuffix(".service.d/50-restart.conf"): nil
    default: path
    }
  }

  @Test func rpmsMatchDebianPackages() async throws {
    let package = try await DebianPackage.first.value
    for (rpm, deb) in zip(try await Self.paths.value, [package.sandboxPath, package.fleetPath, package.path]) {
      let inRPM = try await Self.files(rpm: rpm)
      let inDeb = try await Self.files(deb: deb)
      #expect(inRPM.count >= 3 && inRPM == inDeb)
    }
  }

  private static func files(rpm: String) async throws -> [String] {
    let lines = try await Command.require(["rpm", "-qp", "--qf", "[%{FILENAMES} %{FILEMODES:perms}\n]", rpm])
    return lines.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      return words.count == 2 && words[1].hasPrefix("-") ? plain(String(words[0])) : nil
    }.sorted()
  }

  private static func files(deb: String) async throws -> [String] {
    let lines = try await Command.require(["dpkg-deb", "--contents", deb])
    return lines.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("-"), let name = line.split(separator: " ").last else { return nil }
      return plain(String(name.dropFirst()))
    }.sorted()
  }

  @Test func unpackedProgramsRun() async throws {
    let folder = try TemporaryFolder()
    let paths = try await Self.paths.value
    for path in paths {
      try await Command.require(["sh", "-c", "cd \"$0\" && rpm2cpio \"$1\" | cpio --quiet -idm", folder.path, path])
    }
    for program in ["waybilld", "waybill"] {
      let words = try await Command.require([folder.path + "/usr/bin/" + program, "--version"])
      let version = words.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? "none"
      #expect(paths[2].contains("waybill-\(version)-1."))
    }
    #expect(try await Command.require([folder.path + "/usr/bin/waybill-fleet", "--version"]).contains("waybill-fleet"))
    let sandbox = try await Command.require([folder.path + "/usr/bin/waybill-sandbox", "--help"])
    #expect(sandbox.contains("USAGE: waybill-sandbox"))
    for (path, users) in [(paths[1], "waybill-fleet.conf"), (paths[2], "waybill.conf")] {
      let script = try await Command.require(["rpm", "-qp", "--scripts", path])
      #expect(script.contains("systemd-sysusers \(users)"))
      let lines = script.split(separator: "\n").filter { !$0.contains(" scriptlet (using ") }.joined(separator: "\n")
      #expect(try await Command.run(["sh", "-n"], input: Data(lines.utf8)).status == 0)
    }
  }
}
