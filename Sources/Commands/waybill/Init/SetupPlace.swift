import ArgumentParser
import CommandParts
import Credentials
import FoundationEssentials
import Jobs
import Linux

/// The files and the service of the daemon that is set up: the one of the package, an instance, or one that is started by hand.
struct SetupPlace: Equatable {
  /// The main file of the configuration.
  let configuration: String
  /// The service; nil for a configuration that no unit reads.
  let unit: String?
  /// The control socket.
  var socket: String
  /// The user of the daemon, and that user's group.
  var user = "waybill"
  var group = "waybill"
  /// True if systemd runs here, and has a unit for it.
  var isService: Bool
  /// The option by which other commands mean it, with a space before it.
  let option: String
  /// The beginning of the names of its key files.
  private let keyPrefix: String

  static let usual = "/etc/waybill/waybill.toml"

  /// Creates the place of a configuration, or of an instance by name.
  init(configuration: String, instance: String?) {
    if let instance {
      self.configuration = "/etc/waybill/\(instance).toml"
      unit = "waybill@\(instance).service"
      socket = "/run/waybill-\(instance)/control.sock"
      keyPrefix = instance + "-"
      option = " --instance \(instance)"
    } else {
      self.configuration = configuration
      unit = configuration == Self.usual ? "waybill.service" : nil
      socket = "/run/waybill/control.sock"
      keyPrefix = ""
      option = ""
    }
    isService = unit != nil && FileManager.default.fileExists(atPath: "/run/systemd/system")
  }

  /// The directory of the configuration.
  private var folder: String { Self.parts(of: configuration).folder }
  /// The directory of the keys.
  private var keyFolder: String { folder + "/keys" }
  /// The beginning of the paths of its key files.
  var keys: String { "\(keyFolder)/\(keyPrefix)" }

  /// Throws unless the daemon's user is there, and files can be made beside the configuration.
  func requireWritable() throws(CommandFailure) {
    guard ProcessRights.user(named: user) != nil else {
      throw CommandFailure(
        status: .failure, words: "there is no user \(user) yet: run systemd-sysusers, or install the package")
    }
    do throws(FileError) {
      let isThere = FileManager.default.fileExists(atPath: folder)
      try Directory(path: isThere ? folder : Self.parts(of: folder).folder).requireReadAndWrite()
    } catch {
      throw CommandFailure(status: .failure, words: "\(error.words): the configuration and the keys are written there")
    }
  }

  /// Writes a file, which must not be there, for root and the daemon's group; with the directory that it is in.
  func write(_ path: String, _ bytes: [UInt8]) throws(CommandFailure) {
    do throws(FileError) {
      guard let id = GroupName.id(of: group) else {
        throw FileError("write", path: path, errno: 22, advice: "there is no group \(group)")  // EINVAL
      }
      let folder = Self.parts(of: path).folder
      if !FileManager.default.fileExists(atPath: folder) {
        let permissions: UInt32 = folder == keyFolder ? 0o500 : 0o755
        let (above, name) = Self.parts(of: folder)
        try Directory(path: above).makeDirectory(name, permissions: permissions)
        let made = try Directory(path: folder)
        try made.descriptor.setPermissions(permissions, path: folder)
        // Only root and the daemon enter that of the keys.
        if folder == keyFolder, let user = ProcessRights.user(named: user) {
          try made.descriptor.setOwner(user, group: 0, path: folder)
        }
      }
      try createSmallFile(path: path, bytes, owner: (0, id), permissions: 0o640)
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
  }

  /// Returns true if a file has the secret already.
  ///
  /// - Throws: ``CommandFailure`` if there is a file with other bytes.
  func has(_ secret: Secret, in path: String) throws(CommandFailure) -> Bool {
    guard var text = Self.text(of: path)?[...] else { return false }
    while let last = text.last, last.isNewline { text.removeLast() }
    guard text == secret.text else {
      throw CommandFailure(
        status: .failure,
        words: "\(path) is there with other bytes, and stays: nothing was changed. To use it, name it (--keys, "
          + "--backend-token-file); else: rm \(path)")
    }
    return true
  }

  /// Returns the text of a file; nil if there is none, or it cannot be read.
  static func text(of path: String) -> String? {
    // Ignored: what cannot be read counts as nothing, and is never replaced.
    guard let bytes = try? readSmallFile(path: path, limit: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the directory that a path is in, and the last part of it.
  private static func parts(of path: String) -> (folder: String, name: [UInt8]) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return (slash == path.startIndex ? "/" : String(path[..<slash]), Array(path[path.index(after: slash)...].utf8))
  }
}
