import ChildProcesses
import ControlAPI
import ControlTesting
import Foundation
import Jobs
import ObjectStorage
import Settings
import Testing

@testable import waybill

/// Jobs that would not find their files, asked of a daemon.
@Suite(.slot, .bounded)
struct SpoolRenamesTests {
  private struct Broken: Error {}

  private func configuration() throws -> Configuration {
    let text = """
      [storage.main]
      endpoint = "http://127.0.0.1:9"
      region = "us-east-1"
      bucket = "documents"
      access_key = { file = "/nonexistent/a" }
      secret_key = { file = "/nonexistent/b" }
      [backend.main]
      url = "http://127.0.0.1:9/documents"
      [[spool]]
      name = "other"
      path = "/nonexistent/other"
      """
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.file("w.toml")
    try Data(text.utf8).write(to: URL(filePath: path))
    return try Configuration.load(path: path, environment: [:], readingCredentials: false)
  }

  /// A daemon that stops answering takes nothing back of what it has said.
  @Test func lostDaemonKeepsFindings() async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName("a.pdf"), .begin, .asks)
    let groups = await jobs.groups(JobFilter())
    let status = await jobs.status()
    var operations = jobs.operations
    operations.statusAnswer = {
      var status = status
      status.spools = ["first", "second"].map {
        SpoolMessage(
          name: $0, path: "/nonexistent/\($0)", watch: "", readiness: [], lastScan: nil, oldestWaiting: nil)
      }
      return status
    }
    operations.groupsAnswer = { filter in
      guard filter.spool == "first" else { throw Broken() }
      return groups
    }
    let configuration = try configuration()
    try await withControlServer(operations) { socket in
      let found = await SpoolRenames.findings(configuration, socket: socket)
      #expect(found.map(\.spool) == ["first"])
      #expect(found.first?.finding.words.contains("keep it until these jobs have ended") == true, "\(found)")
    }
  }
}
