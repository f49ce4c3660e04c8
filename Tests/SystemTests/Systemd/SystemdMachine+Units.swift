import ChildProcesses
import Foundation

@testable import Harness

extension SystemdMachine {
  static let programs = [
    "/usr/bin/waybilld": Products.daemon, "/usr/bin/waybill": Products.command,
    "/usr/bin/waybill-page": Products.source("share/waybill-page"), "/usr/bin/waybill-fleet": Products.fleet,
    "/usr/bin/waybill-sandbox": Products.sandbox,
  ]

  /// One who drops files, and one who operates: users as a machine has them beside the daemon's.
  static let dropperName = "kim"
  static let operatorName = "olga"

  /// Puts everything of `systemd/` where a package has it, and makes the users and directories.
  func installUnits() async throws {
    let sources = URL(filePath: Products.source("systemd"))
    for name in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
      let stem = name.prefix { $0 != "." }
      let place: String? =
        switch name.split(separator: ".").last {
        case "service", "socket", "timer": "/usr/lib/systemd/system/" + name
        case "sysusers": "/usr/lib/sysusers.d/\(stem).conf"
        case "tmpfiles": "/usr/lib/tmpfiles.d/\(stem).conf"
        case "catalog": "/usr/lib/systemd/catalog/" + name
        default: nil
        }
      if let place { try write(place, String(contentsOf: sources.appending(path: name), encoding: .utf8)) }
    }
    if try await Self.installedVersion() >= 254 {
      for unit in ["waybill.service", "waybill@.service"] {
        try write("/usr/lib/systemd/system/\(unit).d/50-restart.conf", Self.shippedDropIn("restart-254"))
      }
    }
    let people = [("waybill-drop", Self.dropperName), ("waybill", Self.operatorName)]
    let lines = people.map { "u \($1) - -\nm \($1) \($0)\n" }
    try write("/usr/lib/sysusers.d/waybill-people.conf", lines.joined())
    try await require("systemd-sysusers", "waybill.conf", "waybill-fleet.conf", "waybill-people.conf")
    try await require("systemd-tmpfiles", "--create", "waybill.conf", "waybill-fleet.conf")
    try await require("journalctl", "--update-catalog")
    try await require("systemctl", "daemon-reload")
  }

  func dropIn(_ name: String, for unit: String, _ text: String) async throws {
    try write("/etc/systemd/system/\(unit).d/\(name).conf", text)
    try await require("systemctl", "daemon-reload")
  }

  func shippedDropIn(_ name: String, for unit: String) async throws {
    try await dropIn(name, for: unit, Self.shippedDropIn(name))
  }

  private static func shippedDropIn(_ name: String) throws -> String {
    try String(contentsOfFile: Products.source("systemd/drop-ins/\(name).conf"), encoding: .utf8)
  }

  static func installedVersion() async throws -> Int {
    let place = tree.map { ["chroot", $0] } ?? []
    let words = try await Command.require(place + ["systemctl", "--version"]).split(whereSeparator: \.isWhitespace)
    guard words.count > 1, let version = Int(words[1]) else { throw Missing("the version of systemd: \(words)") }
    return version
  }

  func property(_ name: String, of unit: String) async throws -> String {
    try await require("systemctl", "show", "--value", "--property", name, unit)
      .trimmingCharacters(in: .newlines)
  }

  func until(
    _ name: String, of unit: String, is value: String, file: String = #fileID, line: Int = #line
  ) async throws {
    var last = ""
    do {
      try await ChildProcesses.until("\(name)=\(value) of \(unit)", every: .milliseconds(50), file: file, line: line) {
        last = try await property(name, of: unit)
        return last == value
      }
    } catch let error as TimedOut {
      throw Missing("\(error), which is \(last)")
    }
  }

  /// The entries of the journal with these fields (journalctl(1): `FIELD=value`), the oldest first.
  func journal(_ matches: [String]) async throws -> [JSONValue] {
    try await require("journalctl", "--sync")
    // journalctl ends with 1 where nothing matches
    let text = try await run(["journalctl", "-q", "-o", "json", "--all"] + matches).output
    return try text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  func journal(_ matches: String...) async throws -> [JSONValue] { try await journal(matches) }

  @discardableResult
  func entry(_ matches: String..., file: String = #fileID, line: Int = #line) async throws -> JSONValue {
    try await ChildProcesses.until(
      "an entry with \(matches)", every: .milliseconds(50), file: file, line: line
    ) { try await journal(matches).first }
  }
}
