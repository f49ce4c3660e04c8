import ChildProcesses
import Foundation
import Testing

enum RPMPackage {
  static let canBuild =
    DebianPackage.canRun && (Missing.serverIsFailure || FileManager.default.fileExists(atPath: "/usr/bin/rpmbuild"))
}

/// The .rpm: the files of the Debian package, as rpm's own tools read it.
@Suite(.slot, .enabled(if: RPMPackage.canBuild))
struct RPMPackageTests {
  private static let path = Task {
    try await Command.require([
      Products.source("scripts/rpm"), "--programs", Products.folder.path, "--to", Products.source(".build-rpm/tests"),
    ]).trimmingCharacters(in: .newlines)
  }

  /// The places of files that each kind of system has elsewhere, in the words of the .rpm.
  private static func plain(_ path: String) -> String? {
    let path = path.hasPrefix("/lib/") ? "/usr" + path : path
    if path.hasPrefix("/usr/share/lintian/") { return nil }
    return switch path {
    case "/usr/share/zsh/vendor-completions/_waybill": "/usr/share/zsh/site-functions/_waybill"
    case "/usr/share/doc/waybill/changelog.gz": "/usr/share/doc/waybill/CHANGELOG.md"
    case "/usr/share/doc/waybill/copyright": "/usr/share/doc/waybill/LICENSE"
    case "/usr/share/doc/waybill/changelog.Debian.gz": nil
    // Growing pauses between restarts, where systemd knows them.
    case _ where path.hasSuffix(".service.d/50-restart.conf"): nil
    default: path
    }
  }

  @Test func itHasTheFilesOfTheDebianPackage() async throws {
    let rpm = try await Command.require([
      "rpm", "-qp", "--qf", "[%{FILENAMES} %{FILEMODES:perms}\n]", try await Self.path.value,
    ])
    var inRPM: [String] = []
    for line in rpm.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, words[1].hasPrefix("-"), let path = Self.plain(String(words[0])) else { continue }
      inRPM.append(path)
    }
    let deb = try await Command.require(["dpkg-deb", "--contents", try await DebianPackage.first.value.path])
    var inDeb: [String] = []
    for line in deb.split(separator: "\n") where line.hasPrefix("-") {
      guard let name = line.split(separator: " ").last, let path = Self.plain(String(name.dropFirst())) else { continue }
      inDeb.append(path)
    }
    #expect(inRPM.count > 40)
    #expect(inRPM.sorted() == inDeb.sorted())
  }

  /// What debug builds have is left aside: the path to Swift's own libraries.
  @Test func rpmlintFindsNothing() async throws {
    let lint = try await Command.run([
      "rpmlint", "--config", Products.source("packaging/rpmlint.toml"), try await Self.path.value,
    ])
    let findings = lint.output.split(separator: "\n").filter { $0.contains(": E: ") || $0.contains(": W: ") }
      .filter { !$0.contains("binary-or-shlib-defines-rpath") }
    #expect(lint.output.contains("packages: 1") && findings.isEmpty, "\(lint.output)\(lint.errors)")
  }

  @Test func whatIsUnpackedRuns() async throws {
    let folder = try TemporaryFolder()
    try await Command.require([
      "sh", "-c", "cd \"$0\" && rpm2cpio \"$1\" | cpio --quiet -idm", folder.path, try await Self.path.value,
    ])
    for program in ["waybilld", "waybill", "waybill-sandbox"] {
      let version = try await Command.require([folder.path + "/usr/bin/" + program, "--version"])
      #expect(try await Self.path.value.contains("waybill-\(version.trimmingCharacters(in: .newlines))-1."))
    }
    let script = try await Command.require(["rpm", "-qp", "--scripts", try await Self.path.value])
    #expect(script.contains("systemd-sysusers waybill.conf"))
    #expect(
      try await Command.run(
        ["sh", "-n"],
        input: Data(
          script.split(separator: "\n")
            .filter { !$0.contains(" scriptlet (using ") }.joined(separator: "\n").utf8)
      ).status == 0)
  }
}
