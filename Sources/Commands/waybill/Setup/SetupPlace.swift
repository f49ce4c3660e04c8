import ArgumentParser
import CommandParts
import FoundationEssentials
import Linux
import Settings

/// The files and the service of the daemon that is set up: the one of the package, an instance, or one that is started by hand.
struct SetupPlace: Equatable {
  /// The main file of the configuration.
  let configuration: String
  /// The unit that reads it; nil for a configuration of another place.
  let unit: String?
  /// True if systemd runs here, and has a unit for it.
  var isService: Bool
  /// The control socket.
  var socket: String
  /// The user of the daemon, and that user's group.
  var user = "waybill"
  var group = "waybill"
  /// The option by which other commands mean it, with a space before it.
  let option: String
  /// The beginning of the paths of its key files.
  let keys: String

  static let usual = "/etc/waybill/waybill.toml"

  /// Creates the place of a configuration, or of an instance by name.
  init(configuration: String, instance: String?) {
    self.configuration = instance.map { "/etc/waybill/\($0).toml" } ?? configuration
    unit = instance.map { "waybill@\($0).service" } ?? (configuration == Self.usual ? "waybill.service" : nil)
    socket = "/run/waybill\(instance.map { "-" + $0 } ?? "")/control.sock"
    keys = SetupFile.parts(of: self.configuration).folder + "/keys/" + (instance.map { $0 + "-" } ?? "")
    option = instance.map { " --instance \($0)" } ?? ""
    isService = unit != nil && FileManager.default.fileExists(atPath: "/run/systemd/system")
  }

  /// The unit, if systemd has it.
  var service: String? { isService ? unit : nil }

  /// The command that starts the daemon.
  var start: String { service.map { "systemctl enable --now \($0)" } ?? "waybilld --config \(configuration)" }

  /// Reads the configuration, with a file that is not there yet. The keys need not be readable.
  func load(
    _ environment: [String: String], adding file: SetupFile? = nil
  ) throws(ConfigurationError) -> Configuration {
    try Configuration.load(
      path: configuration, environment: environment, readingCredentials: false,
      replacing: file.map { [$0.path: $0.bytes] } ?? [:])
  }

  /// Throws unless the daemon's user is there, and files can be made beside the configuration.
  func requireWritable() throws {
    guard ProcessRights.user(named: user) != nil else {
      throw CommandFailure(words: "there is no user \(user) yet: run systemd-sysusers, or install the package")
    }
    var folder = SetupFile.parts(of: configuration).folder
    while !FileManager.default.fileExists(atPath: folder) { folder = SetupFile.parts(of: folder).folder }
    do throws(FileError) {
      try Directory(path: folder).requireReadAndWrite()
    } catch {
      throw CommandFailure(words: "\(error.words): the configuration and the keys are written there")
    }
  }
}
