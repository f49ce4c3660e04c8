import ArgumentParser
import CommandParts
import FoundationEssentials
import Glibc
import Linux
import Messages
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
    try Directory(path: folder).requireReadAndWrite()
  }
}

/// A file that a setup writes unless it is there already. One with other bytes is never replaced.
struct SetupFile {
  let path: String
  let bytes: [UInt8]
  /// The group that may read it; nil if everybody may.
  var group: String?
  /// The user who alone enters its directory, if that has to be made; nil if everybody may.
  var reader: String?
  /// The remedy for a file with other bytes.
  let remedy: String

  /// Returns true if it is there, apart from line ends at its end.
  ///
  /// - Throws: ``CommandFailure`` if there is a file with other bytes.
  func isThere() throws(CommandFailure) -> Bool {
    func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    // Ignored: what cannot be read counts as nothing, and is never replaced.
    guard let found = try? readSmallFile(path: path, limit: 1 << 20) else { return false }
    guard found.reversed().drop(while: isLineEnd).elementsEqual(bytes.reversed().drop(while: isLineEnd)) else {
      throw CommandFailure(
        words: "\(path) is there with other bytes, and stays: nothing was changed. To go on, \(remedy)")
    }
    return true
  }

  /// Writes it, with the directories that it is in.
  func write() throws {
    guard try !isThere() else { return }
    let group = group.map { GroupName.id(of: $0) } ?? getegid()
    guard let group else { throw FileError("write", path: path, errno: EINVAL, advice: .groupOfFileMissing) }
    try Self.make(Self.parts(of: path).folder, for: reader)
    try createSmallFile(
      path: path, bytes, owner: (ProcessRights.user, group), permissions: self.group == nil ? 0o644 : 0o640)
  }

  /// Makes a directory and those above it, if they are missing.
  private static func make(_ folder: String, for reader: String?) throws(FileError) {
    guard !FileManager.default.fileExists(atPath: folder) else { return }
    let (above, name) = parts(of: folder)
    try make(above, for: nil)
    try Directory(path: above).makeDirectory(name, permissions: 0o700)
    let made = try Directory(path: folder)
    if let user = reader.flatMap({ ProcessRights.user(named: $0) }) {
      try made.descriptor.setOwner(user, group: 0, path: folder)
    }
    // The umask applied.
    try made.descriptor.setPermissions(reader == nil ? 0o755 : 0o500, path: folder)
  }

  /// Returns the directory that a path is in, and the last part of it.
  static func parts(of path: String) -> (folder: String, name: [UInt8]) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return (slash == path.startIndex ? "/" : String(path[..<slash]), Array(path[path.index(after: slash)...].utf8))
  }
}
