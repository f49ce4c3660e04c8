import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A place where Waybill runs as it is shipped: the package under systemd, or the image in a container. What is promised holds in each
/// of them, so the same scenarios run in all (``PlaceScenario``).
protocol Place: ControlCaller {
  /// The directory in which the spools are.
  var spools: String { get }
  /// A directory outside of it that the operator has opened to the daemon, in the way that the manual tells.
  var elsewhere: String { get }
  /// The directory of `waybill.toml`.
  var settings: String { get }
  /// The words that print a file, for a program that gives keys.
  var printing: String { get }

  /// The path, here, of a file or directory of the place.
  func outside(_ path: String) -> String
  /// Puts a file of the operator's below ``settings`` or ``elsewhere``. The daemon may read it.
  func install(_ path: String, _ text: String) async throws
  /// Makes a directory in which files are dropped, as the manual tells.
  func openSpool(_ path: String) async throws
  /// Runs a script of the shell in a directory, as somebody who may drop files there.
  func drop(_ script: String, in folder: String) async throws
  /// Runs a command as somebody who may operate.
  func operate(_ words: [String]) async throws -> Command
  /// Starts the daemon, and waits until it is ready.
  func start() async throws
  /// Has the daemon read its configuration again.
  func reload() async throws -> Command
}

extension Place {
  /// The files below a directory by their paths from there, without the daemon's own lock.
  func files(below path: String) throws -> [String] {
    let root = outside(path)
    return try FileManager.default.subpathsOfDirectory(atPath: root).filter { file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: root + "/" + file)
      return attributes?[.type] as? FileAttributeType == .typeRegular && !file.hasSuffix(".waybill/lock")
    }.sorted()
  }

  func read(_ path: String) throws -> String { try String(contentsOfFile: outside(path), encoding: .utf8) }
}

/// The far sides of all scenarios, on the loopback that a place shares.
struct PlaceFarSides: Sendable {
  /// Storage and backend.
  let sandbox: Sandbox
  /// A backend that takes tokens alone, and the server that gives them.
  let tokens: TokenServer
  /// An nginx before the sandbox that wants a client certificate, and the certificates.
  let gateway: String
  let certificates: ClientCertificates
  private let nginx: NginxProxy

  init(in folder: URL) async throws {
    sandbox = try await Sandbox(in: folder)
    tokens = try await TokenServer(in: folder, life: 3600)
    certificates = try await ClientCertificates()
    let port = Ports.free()
    gateway = "https://127.0.0.1:\(port)"
    nginx = try await NginxProxy(
      serving: """
        listen 127.0.0.1:\(port) ssl;
        ssl_certificate \(certificates.file("server.pem"));
        ssl_certificate_key \(certificates.file("server.key"));
        ssl_client_certificate \(certificates.file("ca.pem"));
        ssl_verify_client on;
        client_max_body_size 0;
        location / { proxy_pass http://127.0.0.1:\(sandbox.port); proxy_set_header Host $http_host; }
        """, in: folder)
  }

  /// For the end of a test.
  func cut() {
    nginx.cut()
    tokens.cut()
    sandbox.cut()
    certificates.folder.remove()
  }
}

/// One scenario in one place.
struct PlaceVisit: Sendable {
  let place: any Place
  let far: PlaceFarSides
  let scenario: PlaceScenario

  var spool: String { scenario.spool(in: place) }

  func drop(_ script: String) async throws { try await place.drop(script, in: spool) }

  /// Waits until a file is registered, and compares what the far sides have: these bytes, and one registration.
  @discardableResult
  func expectRegistered(_ name: String, _ text: String, line: Int = #line) async throws -> JSONValue {
    let job = try await place.job(named: name, in: "registered", line: line)
    let object = try await far.sandbox.objects()[job.key.string ?? ""]
    let sum = try await Bytes.sha256(Data(text.utf8))
    #expect(object?.sha256.string == sum, "line \(line): \(name): \(job)")
    let id = job.id.string ?? ""
    if scenario == .token {
      let registered = try await far.tokens.facts().registered.members.values
      #expect(registered.map(\.int) == [1], "line \(line): \(registered)")
    } else {
      let bodies = try far.sandbox.registrations().map(\.body).filter { $0.id.string == id }
      #expect(bodies.count == 1 && bodies.first?.key == job.key, "line \(line): \(bodies)")
    }
    return job
  }

  /// Waits until nothing that was dropped is left in the spool.
  func expectEmpty(line: Int = #line) async throws {
    try await until("the spool of \(scenario) to be empty", line: line) { try place.files(below: spool).isEmpty }
  }
}
