import Foundation
import Testing

/// The units as systemd-analyze sees them; no systemd has to run for that.
@Suite struct UnitTests {
  private var units: String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "systemd").path
  }

  @Test func theUnitsAreWellFormedAndTheExposureIsAtMostOneAndAHalf() async throws {
    let outcome = try await Command.run(Command.support("units-verify.sh"), [units, "15"])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test func anUnknownKeyIsFound() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    for unit in ["waybill.service", "waybill.socket"] {
      try FileManager.default.copyItem(atPath: "\(units)/\(unit)", toPath: directory.file(unit))
    }
    let socket = try String(contentsOfFile: directory.file("waybill.socket"), encoding: .utf8)
    try (socket + "\n[Socket]\nSocketMood=0660\n")
      .write(toFile: directory.file("waybill.socket"), atomically: true, encoding: .utf8)
    let outcome = try await Command.run(Command.support("units-verify.sh"), [directory.path, "15"])
    #expect(outcome.status != 0 && outcome.errors.contains("SocketMood"))
  }
}
