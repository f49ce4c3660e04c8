import ChildProcesses
import Foundation

@testable import Harness

/// The Debian package of the programs under test, in two versions that differ in their number alone.
struct DebianPackage: Sendable {
  let version: String
  let path: String

  let sandboxPath, fleetPath: String

  var seen: String { Self.seen(path) }
  var seenFleet: String { Self.seen(fleetPath) }
  var seenSandbox: String { Self.seen(sandboxPath) }

  private static func seen(_ path: String) -> String { "/packages/\(URL(filePath: path).lastPathComponent)" }

  static let first = Task { try await DebianPackage(version: "1.0.0-1") }
  static let second = Task { try await DebianPackage(version: "1.0.0-2") }

  private init(version: String) async throws {
    self.version = version
    let output = try await Command.require([
      Products.source("scripts/deb"), "--programs", Products.folder.path, "--version", version, "--to",
      Products.source(".build-deb/tests"),
    ])
    let paths = output.split(separator: "\n").map(String.init)
    guard paths.count == 3 else { throw Missing("scripts/deb made other packages: \(output)") }
    (sandboxPath, fleetPath, path) = (paths[0], paths[1], paths[2])
  }
}

/// The commands that docs/install.md gives for a purpose, as an operator types them.
enum InstallPage {
  static func commands(_ heading: String, prompt: String = "#") throws -> [String] {
    let text = try String(contentsOfFile: Products.source("docs/install.md"), encoding: .utf8)
    guard let part = text.components(separatedBy: "\n## \(heading)\n").dropFirst().first else {
      throw Missing("docs/install.md has nothing about \(heading)")
    }
    let own = part.components(separatedBy: "\n## ")[0]
    let commands = own.split(separator: "\n").filter { $0.hasPrefix(prompt + " ") }.map {
      String($0.dropFirst(prompt.count + 1))
    }
    guard !commands.isEmpty else { throw Missing("docs/install.md has no command about \(heading)") }
    return commands
  }
}

extension SystemdMachine {
  func takePackages() async throws {
    // Containers have services started by nobody, and many leave out documents; this machine stands for one that is none.
    try await require("sh", "-c", "rm -f /usr/sbin/policy-rc.d /etc/dpkg/dpkg.cfg.d/docker")
    // The index of manual pages takes seconds.
    try await require("rm", "-f", "/var/lib/man-db/auto-update")
  }

  /// Runs what an operator types at a root prompt, with a package for the one that the manual names.
  @discardableResult
  func type(
    _ commands: [String], package: DebianPackage? = nil, file: String = #fileID, line: Int = #line
  ) async throws -> String {
    var output = ""
    for command in commands {
      var typed = command
      if let package { typed = typed.replacing("./waybill_VERSION_amd64.deb", with: package.seen) }
      typed = typed.replacing(/\bapt (install|remove|purge)/) { "apt-get -q -y \($0.1)" }
      let command = try await run("sh", "-c", "exec 2>&1; cd /root; \(typed)", file: file, line: line)
      // 1 is that of "waybill status" while something waits for a person.
      guard command.status == 0 || typed == "waybill status" && command.status == 1 else {
        throw Missing("\(file):\(line): \(typed) ended with \(command.status): \(command.output)")
      }
      // apt has dpkg write to a terminal.
      output += command.output.replacing("\r\n", with: "\n")
    }
    return output
  }

  func installed() async throws -> String? {
    let words = try await run("dpkg-query", "--show", "--showformat", "${db:Status-Status} ${Version}", "waybill")
      .output
    let parts = words.split(separator: " ")
    return parts.first == "installed" ? parts.last.map(String.init) : nil
  }
}

/// Boots a machine on which nothing of Waybill is, with both packages at hand, and takes it away whatever happens.
func withBareMachine(
  tree: String? = SystemdMachine.tree, _ body: (SystemdMachine) async throws -> Void
) async throws {
  let packages = URL(filePath: try await DebianPackage.first.value.path).deletingLastPathComponent().path
  try await withMachine(binds: ["/packages": packages], tree: tree) { machine in
    try await machine.takePackages()
    try await body(machine)
  }
}
