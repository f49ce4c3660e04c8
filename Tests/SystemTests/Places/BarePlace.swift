import ChildProcesses
import Foundation
import Glibc
import Synchronization

@testable import Harness

/// A process that a person starts: as the user who runs the tests, or as an ordinary one without any capability.
final class BarePlace: Place {
  let kind: PlaceKind
  private let folder: URL
  private let first: Daemon
  /// The system's authorities and one more, which the daemon sees in their place.
  private let authorities: URL
  private let mounts = Mutex<[String]>([])
  let metrics = "http://127.0.0.1:\(Ports.free())"

  var spools: String { folder.appending(path: "spools").path }
  var elsewhere: String { folder.appending(path: "elsewhere").path }
  var settings: String { folder.path }
  var printing: String { "sh -c 'cat \"$0\"'" }
  var socket: String { first.socket }
  var lastWords: String? { first.lastWords }
  /// Root may write to any of them.
  var closed: [String] { geteuid() == 0 && !isOther ? [] : ["/etc"] }

  private var isOther: Bool { kind == .otherUser }
  private var user: String { isOther ? OtherUser.daemon.name : String(geteuid()) }
  private let mayBecomeOthers: Bool

  var daemonLines: [String] {
    [
      "state = \"\(first.setup.state.path)\"", "control = \"\(first.setup.socket)\"",
      "metrics = \"\(metrics.split(separator: "/").last ?? "")\"",
    ]
  }

  init(_ kind: PlaceKind, in folder: URL, _ far: PlaceServers) async throws {
    self.kind = kind
    self.folder = folder
    mayBecomeOthers = await Capability.testUsers.isThere
    if mayBecomeOthers { try await OtherUser.make() }
    let authorities = folder.appending(path: "authorities.pem")
    self.authorities = authorities
    try Data(contentsOf: URL(filePath: Self.system)).write(to: authorities)
    let seen = await Capability.mount.isThere ? Self.seeing(authorities) : []
    let setup = DaemonSetup(
      folder: folder, storage: far.sandbox.storage, backend: far.sandbox.backend, name: "waybill")
    first = Daemon(
      setup,
      prefix: seen + (kind == .otherUser ? OtherUser.daemon.words([]) : []),
      environment: ["HOME": folder.path, "AWS_CONFIG_FILE": "\(folder.path)/keys/aws", "WAYBILL_LOG_FORMAT": "json"])
    try FileManager.default.createDirectory(at: setup.state, withIntermediateDirectories: true)
    guard isOther else { return }
    try await Command.require(["chown", "-R", "\(user):", folder.path, setup.state.path])
    try await Command.require(["chmod", "755", folder.path])
  }

  func outside(_ path: String) -> String { path }

  func openSpool(_ path: String) async throws {
    try await Command.require(["mkdir", "-p", path])
    guard mayBecomeOthers else { return }
    try await Command.require(["chown", "\(user):\(OtherUser.dropper.name)", path])
    try await Command.require(["chmod", "3770", path])
    try await Command.require(["setfacl", "-m", "d:u::rwx,d:u:\(user):rwx,d:g::-,d:o::-", path])
  }

  func mount(_ path: String) async throws {
    try await Command.require(["mkdir", "-p", path])
    try await Command.require(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", path])
    mounts.withLock { $0.append(path) }
  }

  private static let system = "/etc/ssl/certs/ca-certificates.crt"

  /// The words before a command that let it alone see a file as the system's authorities.
  private static func seeing(_ file: URL) -> [String] {
    ["unshare", "--mount", "sh", "-ec", "mount --bind \"$0\" \(system); exec \"$@\"", file.path]
  }

  func trust(_ certificate: String) async throws {
    let file = try FileHandle(forWritingTo: authorities)
    try file.seekToEnd()
    try file.write(contentsOf: Data(contentsOf: URL(filePath: certificate)))
    try file.close()
  }

  func close(_ path: String) async throws {
    try await Command.require(["mkdir", "-p", path])
    if geteuid() != 0 || isOther {
      try await Command.require(["chmod", "555", path])
    } else {
      // Root's rights end at a file system that nobody may write to.
      try await Command.require(["mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", path])
      mounts.withLock { $0.append(path) }
    }
  }

  func drop(_ script: String, in folder: String, as dropper: PlaceDropper) async throws {
    let prefix: [String] =
      switch dropper {
      case .usual: isOther ? OtherUser.dropper.words([]) : []
      case .stranger: OtherUser.dropper.words([])
      case .own: isOther ? OtherUser.daemon.words([]) : []
      }
    // The folders above are not to be entered by everybody.
    try await Command.require(
      ["sh", "-ec", #"cd "$0"; exec "$@""#, folder] + prefix + ["sh", "-ec", dropper.umask + script])
  }

  func words(_ words: [String]) -> [String] {
    let dropper = OtherUser.dropper.name
    // One who may drop and is in the daemon's group.
    let prefix =
      isOther ? ["setpriv", "--reuid", dropper, "--regid", dropper, "--groups", OtherUser.daemon.name, "--"] : []
    return prefix + administrating(words)
  }

  func administer(_ words: [String]) async throws -> Command { try await Command.run(administrating(words)) }

  private func administrating(_ words: [String]) -> [String] {
    let programs = ["waybill": Products.command, "waybilld": Products.daemon]
    let own = words.first.map { programs[$0] ?? $0 }.map { [$0] } ?? []
    return ["env", "HOME=\(settings)", "WAYBILL_SOCKET=\(socket)", "AWS_CONFIG_FILE=\(settings)/keys/aws"] + own
      + words.dropFirst()
  }

  func start() async throws {
    let check = try await administer(["waybill", "check", "--config", first.setup.config.path])
    guard check.status == 0 else { throw Missing("check: \(check)") }
    try await first.start()
  }

  func startAgain() async throws { try await first.start() }

  func kill() async throws { try await first.kill() }

  func stop() async throws {
    let end = try await first.stop()
    guard end == .exit(0) else { throw Missing("an end in order: \(end): \(try first.errorText.suffix(2000))") }
  }

  func reload() async throws -> Command { try await operate(["waybill", "reload"]) }

  func entries() async throws -> [JSONValue] { try JSONValue.lines(first.errorText) }

  /// For the end of a test.
  func remove() async {
    first.cut()
    for path in mounts.withLock(\.self) {
      // A mount that is left shows itself: the folder cannot be removed.
      _ = try? await Command.run(["umount", "--lazy", path])
    }
  }
}
