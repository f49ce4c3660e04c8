import ChildProcesses
import Foundation
import Synchronization

@testable import Harness

/// The image in a container of a real runtime, with its volumes. Who drops files is a program in another container that has the same
/// ones, and who operates does it in the container.
final class ContainerPlace: Place {
  let kind = PlaceKind.container
  private let container: Container
  private let folder: URL
  private let state = Mutex<Contents>(Contents())

  private struct Contents {
    var first: Int32 = 0
    var mounts: [String] = []
  }

  /// The daemon of the container with a first process.
  private struct Answerer: ControlCaller {
    let pid: Int32
    var socket: String { ContainerPlace.socket(of: pid) }
  }

  private static let mounts = ["/spool": "spool", "/elsewhere": "elsewhere", "/etc/waybill": "settings"]
  private static let variables = ["AWS_CONFIG_FILE=/etc/waybill/keys/aws"]
  /// A group of those who drop, and one of them. They have no names.
  private static let (droppers, stranger) = ("2000", "2001")

  var spools: String { "/spool" }
  var elsewhere: String { "/elsewhere" }
  var settings: String { "/etc/waybill" }
  /// The image has no program but Waybill's own, so one is mounted.
  var printing: String { "\(settings)/cat" }
  var socket: String { Self.socket(of: state.withLock(\.first)) }
  var metrics: String { "http://127.0.0.1:\(container.metrics)" }
  var daemonLines: [String] { [] }
  var closed: [String] { ["/tmp", "/var/tmp", "/etc"] }

  /// It is in a tmpfs of the container's own.
  private static func socket(of pid: Int32) -> String { "/proc/\(pid)/root/run/waybill/control.sock" }

  init(in folder: URL) async throws {
    self.folder = folder
    container = try await Container(in: folder, mounts: Self.mounts, variables: Self.variables)
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: outside(printing))
  }

  func outside(_ path: String) -> String {
    let volume = Self.mounts.first { path.hasPrefix($0.key + "/") }
    return volume.map { folder.appending(path: $0.value).path + path.dropFirst($0.key.count) } ?? path
  }

  func openSpool(_ path: String) async throws {
    let user = String(Container.user)
    try await Command.require(["install", "-d", "-o", user, "-g", Self.droppers, "-m", "3770", outside(path)])
    try await Command.require(["setfacl", "-m", "d:u::rwx,d:u:\(user):rwx,d:g::-,d:o::-", outside(path)])
  }

  func mount(_ path: String) async throws {
    try await Command.require(["mkdir", "-p", outside(path)])
    try await Command.require(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", outside(path)])
    state.withLock { $0.mounts.append(outside(path)) }
  }

  func trust(_ certificate: String) async throws { try container.trust(certificate) }

  func close(_ path: String) async throws { try await Command.require(["install", "-d", "-m", "755", outside(path)]) }

  func drop(_ script: String, in folder: String, as dropper: PlaceDropper) async throws {
    let user = dropper == .stranger ? Self.stranger : String(Container.user)
    // The folders above are not to be entered by that user.
    try await Command.require([
      "sh", "-ec", #"cd "$0"; exec setpriv --reuid "$2" --regid "$3" --clear-groups sh -ec "$1""#, outside(folder),
      dropper.umask + script, user, Self.droppers,
    ])
  }

  func words(_ words: [String]) throws -> [String] { try container.words(words) }

  /// The image has one user.
  func administer(_ words: [String]) async throws -> Command { try await operate(words) }

  func start() async throws {
    try await startAgain()
    let check = try await operate(["waybill", "check"])
    guard check.status == 0 else { throw Missing("check: \(check)") }
  }

  func startAgain() async throws {
    let pid = try await start(container)
    state.withLock { $0.first = pid }
    try await answers()
  }

  /// Starts a container, and returns the number of its first process once that answers.
  private func start(_ container: Container) async throws -> Int32 {
    try container.start()
    return try await until("the container to answer") {
      // There may be none yet.
      guard let pid = try? await container.firstProcess(), pid > 0 else { return nil }
      return try await Answerer(pid: pid).control("GET", "/v1/status").status == 200 ? pid : nil
    }
  }

  func kill() async throws {
    try await container.kill("KILL")
    _ = try await container.end()
  }

  func stop() async throws {
    try await container.kill("TERM")
    let end = try await container.end()
    guard end == .exit(0) else { throw Missing("an end in order: \(end): \(lastLines)") }
  }

  func reload() async throws -> Command { try await operate(["waybill", "reload"]) }

  func entries() async throws -> [JSONValue] { try container.entries() }

  /// The last lines of the daemon.
  var lastLines: String { String(container.errorText.suffix(3000)) }

  /// For the end of a test.
  func remove() async {
    await container.remove()
    for path in state.withLock(\.mounts) {
      // A mount that is left shows itself: the folder cannot be removed.
      _ = try? await Command.run(["umount", "--lazy", path])
    }
  }
}
