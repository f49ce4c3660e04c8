import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The receivers of `docs/examples/receivers`, all of them tried by the `check` beside them: a repeat, 20 requests at once, bad requests,
/// a large body, and `kill -9` leave each document there once.
@Suite(.slot)
struct ReceiversTests {
  private static let folder = Products.source("docs/examples/receivers")

  private func check(_ words: [String], environment: [String: String?] = [:]) async throws -> Command {
    // It makes no folder of compiled Python in the sources.
    let environment = environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { own, _ in own }
    return try await Command.run(
      Products.unpacked("receivers") + ["python3", Self.folder + "/check"] + words, environment: environment)
  }

  private func expectRight(_ name: String, environment: [String: String?] = [:]) async throws {
    let result = try await check([name], environment: environment)
    #expect(result.status == 0 && result.output.hasPrefix("\(name): right (44 documents"), "\(result)")
  }

  @Test(.needs(.receiverPrograms, .node), arguments: ["python", "granting", "shell", "node"])
  func receiverIsIdempotent(name: String) async throws { try await expectRight(name) }

  /// Debian's package makes `php` and switches its modules on when it is installed, which it is not here.
  @Test(.needs(.receiverPrograms)) func phpReceiverIsIdempotent() async throws {
    let folder = try TemporaryFolder()
    var environment: [String: String?] = [:]
    let modules = Products.source(".build-test/receivers/usr/lib/php")
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: modules)) ?? []
    if let version = versions.first(where: { $0.hasPrefix("2") }) {
      try folder.write("bin/php", "#!/bin/sh\nexec php8.2 \"$@\"\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("bin/php"))
      try folder.write(
        "ini/sqlite.ini", ["pdo", "pdo_sqlite"].map { "extension=\(modules)/\(version)/\($0).so\n" }.joined())
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      environment = ["PHP_INI_SCAN_DIR": folder.file("ini"), "PATH": folder.file("bin") + ":" + path]
    }
    try await expectRight("php", environment: environment)
  }

  /// Each request makes a document.
  @Test func checkFindsReceiverThatIsWrong() async throws {
    let words = "WHERE key = ?"
    let source = try String(contentsOfFile: Self.folder + "/receiver.py", encoding: .utf8)
    let parts = source.components(separatedBy: words)
    try #require(parts.count == 2, "receiver.py has \(words) \(parts.count - 1) times")
    let folder = try TemporaryFolder()
    let wrong = try folder.write("receiver.py", parts.joined(separator: words + " AND 0"))
    let result = try await check(["--command", "exec python3 '\(wrong)'"])
    #expect(result.status == 1 && result.output.contains("your own: WRONG"), "\(result)")
    #expect(result.output.contains("a repeat gets the first answer"), "\(result)")
  }
}
