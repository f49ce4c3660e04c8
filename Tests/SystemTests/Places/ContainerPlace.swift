import ChildProcesses
import Foundation
import Synchronization

@testable import Harness

/// The image in a container of a real runtime, with its volumes. Who drops files is a program in another container that has the same
/// ones, and who operates does it in the container.
final class ContainerPlace: Place {
  private let container: Container
  private let folder: URL
  private let first = Mutex<Int32>(0)

  private static let mounts = ["/spool": "spool", "/elsewhere": "elsewhere", "/etc/waybill": "settings"]

  var spools: String { "/spool" }
  var elsewhere: String { "/elsewhere" }
  var settings: String { "/etc/waybill" }
  /// The image has no program but Waybill's own, so one is mounted.
  var printing: String { "\(settings)/cat" }
  /// It is in a tmpfs of the container's own.
  var socket: String { "/proc/\(first.withLock(\.self))/root/run/waybill/control.sock" }

  init(in folder: URL) async throws {
    self.folder = folder
    container = try await Container(
      in: folder, mounts: Self.mounts, variables: ["AWS_CONFIG_FILE=/etc/waybill/keys/aws"])
    try FileManager.default.copyItem(atPath: "/bin/cat", toPath: outside(printing))
  }

  func outside(_ path: String) -> String {
    let volume = Self.mounts.first { path.hasPrefix($0.key + "/") }
    return volume.map { folder.appending(path: $0.value).path + path.dropFirst($0.key.count) } ?? path
  }

  func install(_ path: String, _ text: String) throws {
    let file = URL(filePath: outside(path))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func openSpool(_ path: String) async throws {
    let user = String(Container.user)
    try await Command.require(["install", "-d", "-o", user, "-g", user, "-m", "750", outside(path)])
  }

  func drop(_ script: String, in folder: String) async throws {
    let user = String(Container.user)
    // The folders above are not to be entered by that user.
    try await Command.require([
      "sh", "-ec", #"cd "$0"; exec setpriv --reuid "$2" --regid "$2" --clear-groups sh -ec "$1""#, outside(folder),
      script,
      user,
    ])
  }

  func operate(_ words: [String]) async throws -> Command { try await container.run(words) }

  func start() async throws {
    try container.start()
    try await container.isReady()
    let pid = try await container.firstProcess()
    first.withLock { $0 = pid }
  }

  func reload() async throws -> Command { try await operate(["waybill", "reload"]) }

  /// The last lines of the daemon.
  var lastWords: String { String(container.errorText.suffix(3000)) }

  /// For the end of a test.
  func remove() async { await container.remove() }
}
