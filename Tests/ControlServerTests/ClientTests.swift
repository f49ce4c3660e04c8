import ChildProcesses
import ControlAPI
import ControlTesting
import ControlServer
import Glibc
import HTTPTransfer
import Jobs
import SystemdLink
import Testing

@Suite(.slot, .bounded)
struct ClientTests {
  @Test func messagesArriveUnchanged() async throws {
    let jobs = InMemoryJobs()
    let hostile = FileName(bytes: Array("\u{1B}[31m \"\\ \n%2F+&=\u{202E}ü.pdf".utf8) + [0xFF])
    try await jobs.add(hostile, .begin, .uploads, .begin, .asks)
    let operations = jobs.operations
    try await withControlServer(operations) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      #expect(try await client.status() == operations.status())
      let page = try await client.jobs(ListQuery())
      #expect(page.jobs == (try await operations.jobs(ListQuery(limit: 10))).jobs)
      #expect(page.jobs.first?.name == hostile.text)
      let reference = JobReference.number(JobNumber(rawValue: 1))
      #expect(try await client.job(reference) == operations.job(reference))
    }
  }

  /// A socket that is not there, and one where nobody accepts.
  @Test(arguments: [false, true]) func unansweredSocketMeansNoDaemon(isThere: Bool) async throws {
    let folder = try TemporaryFolder()
    let listening = isThere ? try UnixSocket.listen(path: folder.file("deaf.sock")) : nil
    defer { if let listening { close(listening.descriptor) } }
    let client = ControlClient(
      socket: folder.file("deaf.sock"), transport: try Transport(), patience: .milliseconds(300))
    let error = await #expect(throws: ControlError.self) { try await client.status() }
    guard case .noDaemon = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("systemctl status waybill") == true)
  }
}
