import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A place where Waybill runs: a process, the package under systemd, or the image in a container. What is promised holds in each of them,
/// so the same scenarios run in all (``PlaceScenario``).
protocol Place: ControlCaller {
  var kind: PlaceKind { get }
  /// The directory in which the spools are.
  var spools: String { get }
  /// A directory outside of it that the operator has opened to the daemon, in the way that the manual tells.
  var elsewhere: String { get }
  /// The directory of `waybill.toml`.
  var settings: String { get }
  /// The words that print a file, for a program that gives keys.
  var printing: String { get }
  /// The lines of `[daemon]` that the daemon needs here.
  var daemonLines: [String] { get }
  /// Directories of the system that the daemon must not put a released file into.
  var closed: [String] { get }
  /// The address of the listener for metrics and probes.
  var metrics: String { get }

  /// The path, here, of a file or directory of the place.
  func outside(_ path: String) -> String
  /// Puts a file of the operator's below ``settings`` or ``elsewhere``. The daemon may read it.
  func install(_ path: String, _ text: String) async throws
  /// Makes a directory in which files are dropped, as the manual tells.
  func openSpool(_ path: String) async throws
  /// Mounts a file system of its own as a directory. For the time before the start.
  func mount(_ path: String) async throws
  /// Adds the certificate of a file of this machine to the system's authorities. For the time before the start.
  func trust(_ certificate: String) async throws
  /// Makes a directory in which the daemon may not write.
  func close(_ path: String) async throws
  /// Runs a script of the shell in a directory, as somebody who may drop files there.
  func drop(_ script: String, in folder: String, as dropper: PlaceDropper) async throws
  /// The words, for here, that run a command as somebody who may operate.
  func words(_ words: [String]) throws -> [String]
  /// Runs a command as who looks after the place.
  func administer(_ words: [String]) async throws -> Command
  /// Sets up what there is to set up, starts the daemon, and waits until it answers.
  func start() async throws
  /// Starts the daemon once more after its end, and waits until it answers.
  func startAgain() async throws
  /// Ends the daemon by SIGKILL. Nobody starts it again before ``startAgain()``.
  func kill() async throws
  /// Ends the daemon in order, and waits for its end.
  func stop() async throws
  /// Has the daemon read its configuration again.
  func reload() async throws -> Command
  /// The entries of the daemon, with the fields of the journal: those of its present life at least.
  func entries() async throws -> [JSONValue]
}

/// The one who drops a file.
enum PlaceDropper {
  /// A user as the place has them.
  case usual
  /// Another user than the daemon's, whose files are for nobody else. The default ACL lets the daemon have them.
  case stranger
  /// The daemon's own user.
  case own

  /// The beginning of each script.
  var umask: String { self == .stranger ? "umask 077; " : "" }
}

extension Place {
  /// Runs a command as somebody who may operate.
  func operate(_ words: [String]) async throws -> Command { try await Command.run(try self.words(words)) }

  /// Puts a file of the operator's where it is seen by its own path.
  func install(_ path: String, _ text: String) async throws {
    let file = URL(filePath: outside(path))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// The files below a directory by their paths from there, without the daemon's own lock.
  func files(below path: String) throws -> [String] {
    let root = outside(path)
    return try FileManager.default.subpathsOfDirectory(atPath: root).filter { file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: root + "/" + file)
      return attributes?[.type] as? FileAttributeType == .typeRegular && !file.hasSuffix(".waybill/lock")
    }.sorted()
  }

  func read(_ path: String) throws -> String { try String(contentsOfFile: outside(path), encoding: .utf8) }

  /// Waits until the daemon answers.
  func answers(line: Int = #line) async throws {
    try await until("the daemon to answer", line: line) { try await control("GET", "/v1/status").status == 200 }
  }
}

extension JSONValue {
  /// The values of a text that has one in each line; the last line counts once it is ended.
  static func lines(_ text: String) throws -> [JSONValue] {
    try text[..<(text.lastIndex(of: "\n") ?? text.startIndex)].split(separator: "\n").map {
      try JSONValue(parsing: String($0))
    }
  }
}

/// The servers of all scenarios, on the loopback that a place shares.
struct PlaceServers: Sendable {
  /// Storage and backend.
  let sandbox: Sandbox
  /// Storage and backend that some scenarios bring into trouble.
  let troubled: Sandbox
  /// A backend that takes tokens alone, and the server that gives them.
  let tokens: TokenServer
  /// An nginx before the sandbox: one address wants a client certificate, the other one none. And the certificates.
  let gateway, certified: String
  let certificates: ClientCertificates
  /// The receiver of pings and webhooks.
  let receiver: NoticeReceiver
  private let nginx: NginxProxy

  init(in folder: URL) async throws {
    sandbox = try await Sandbox(in: folder)
    let other = folder.appending(path: "troubled")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    troubled = try await Sandbox(in: other)
    tokens = try await TokenServer(in: folder, life: 3600)
    receiver = try await NoticeReceiver(in: folder)
    certificates = try await ClientCertificates()
    let ports = (Ports.free(), Ports.free())
    (gateway, certified) = ("https://127.0.0.1:\(ports.0)", "https://127.0.0.1:\(ports.1)")
    let proxy = """
      ssl_certificate \(certificates.file("server.pem"));
      ssl_certificate_key \(certificates.file("server.key"));
      client_max_body_size 0;
      location / { proxy_pass http://127.0.0.1:\(sandbox.port); proxy_set_header Host $http_host; }
      """
    nginx = try await NginxProxy(
      serving: """
        listen 127.0.0.1:\(ports.0) ssl;
        ssl_client_certificate \(certificates.file("ca.pem"));
        ssl_verify_client on;
        \(proxy)
        """, http: "server { listen 127.0.0.1:\(ports.1) ssl; \(proxy) }", in: folder)
  }

  /// For the end of a test.
  func cut() {
    nginx.cut()
    tokens.cut()
    receiver.cut()
    sandbox.cut()
    troubled.cut()
    certificates.folder.remove()
  }
}

/// One scenario in one place.
struct PlaceVisit: Sendable {
  let place: any Place
  let far: PlaceServers
  let scenario: PlaceScenario

  var spool: String { scenario.spool(in: place) }
  /// The storage and the backend of its files.
  var sandbox: Sandbox { scenario.isTroubled ? far.troubled : far.sandbox }

  func drop(_ script: String, as dropper: PlaceDropper = .usual) async throws {
    try await place.drop(script, in: spool, as: dropper)
  }

  /// Runs `waybill`, which has to succeed.
  @discardableResult
  func waybill(_ words: String..., line: Int = #line) async throws -> String {
    let command = try await place.operate(["waybill"] + words)
    guard command.status == 0 else { throw Missing("line \(line): waybill \(words): \(command)") }
    return command.output
  }

  /// The spool as the status shows it.
  func status() async throws -> JSONValue {
    try await place.status().spools.array.first { $0.name.string == scenario.rawValue } ?? .null
  }

  /// Waits until a file is registered, and compares what the servers have: these bytes, and one registration.
  @discardableResult
  func expectRegistered(
    _ name: String, _ text: String, after before: String? = nil, line: Int = #line
  ) async throws -> JSONValue {
    let job = try await place.job(named: name, in: "registered", after: before, line: line)
    let object = try await sandbox.objects()[job.key.string ?? ""]
    let sum = try await Bytes.sha256(Data(text.utf8))
    #expect(object?.sha256.string == sum, "line \(line): \(name): \(job)")
    let id = job.id.string ?? ""
    if scenario == .token {
      let registered = try await far.tokens.facts().registered.members.values
      #expect(registered.map(\.int) == [1], "line \(line): \(registered)")
    } else {
      let bodies = try sandbox.registrations().map(\.body).filter { $0.id.string == id }
      #expect(bodies.count == 1 && bodies.first?.key == job.key, "line \(line): \(bodies)")
    }
    return job
  }

  /// Waits until nothing that was dropped is left in the spool.
  func expectEmpty(line: Int = #line) async throws {
    try await until("the spool of \(scenario) to be empty", line: line) { try place.files(below: spool).isEmpty }
  }
}
