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

  @Test func pagesCoverWholeList() async throws {
    let jobs = InMemoryJobs()
    for number in 1...25 { try await jobs.add(FileName("\(number)")) }
    try await withControlServer(jobs.operations) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      var numbers: [Int64] = []
      var query = ListQuery(limit: 10)
      repeat {
        let page = try await client.jobs(query)
        numbers += page.jobs.map(\.job)
        query.after = page.next.flatMap { PageCursor($0) }
      } while query.after != nil
      #expect(numbers == Array(1...25))
    }
  }

  @Test func concurrentAnswersConflict() async throws {
    let jobs = InMemoryJobs()
    for number in 1...50 { try await jobs.add(FileName("\(number)"), .begin, .asks) }
    try await withControlServer(jobs.operations) { socket in
      let client = ControlClient(socket: socket, transport: try Transport())
      for number in 1...50 {
        let reference = JobReference.number(JobNumber(rawValue: Int64(number)))
        async let first = Self.result(client, reference)
        async let second = Self.result(client, reference)
        let results = await [first, second]
        #expect(results.compactMap { try? $0.get() }.count == 1, "\(results)")
        for case .failure(.problem(let problem)) in results {
          #expect(problem.status == 409 && problem.state == .queued)
          #expect(problem.lastChange?.by?.uid == getuid())
        }
      }
    }
  }

  private static func result(
    _ client: ControlClient, _ reference: JobReference
  ) async -> Result<CommandAnswer, ControlError> {
    do {
      return .success(try await client.carryOut(.confirm(), on: reference, revision: 3))
    } catch {
      return .failure(error)
    }
  }

  @Test func missingSocketMeansNoDaemon() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let client = ControlClient(socket: folder.file("none.sock"), transport: try Transport())
    let error = await #expect(throws: ControlError.self) { try await client.status() }
    guard case .noDaemon = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("systemctl status waybill") == true)
  }

  @Test func unansweredSocketMeansNoDaemon() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let listening = try UnixSocket.listen(path: folder.file("deaf.sock"))
    defer { close(listening.descriptor) }
    let client = ControlClient(
      socket: folder.file("deaf.sock"), transport: try Transport(), patience: .milliseconds(300))
    let error = await #expect(throws: ControlError.self) { try await client.status() }
    guard case .noDaemon = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
