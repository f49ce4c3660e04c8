import ArgumentParser
import CommandParts
import Credentials
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
  /// The beginning of the names of its key files.
  let keyPrefix: String
  /// True if systemd runs here, and has a unit for it.
  var isService: Bool
  /// The option by which other commands mean it, with a space before it.
  let option: String

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
    isService = unit != nil && Self.exists("/run/systemd/system")
  }

  /// The directory of the configuration.
  var folder: String { String(configuration[..<(configuration.lastIndex(of: "/") ?? configuration.startIndex)]) }
  /// The configuration as it is tried, before it gets its name. A run that was cut leaves it.
  var unfinished: String { folder + "/.unfinished-" + configuration.dropFirst(folder.count + 1) }
  /// The directory of the keys.
  var keys: String { folder + "/keys" }

  /// Returns the file of a key.
  func key(_ name: String) -> String { "\(keys)/\(keyPrefix)\(name)" }

  /// Throws unless the daemon's user is there, and files can be made beside the configuration.
  func requireWritable() throws(CommandFailure) {
    guard ProcessRights.user(named: user) != nil else {
      throw CommandFailure(
        status: .failure, words: "there is no user \(user) yet: run systemd-sysusers, or install the package")
    }
    let nearest = Self.exists(folder) ? folder : String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
    do throws(FileError) {
      try Directory(path: nearest.isEmpty ? "/" : nearest).requireReadAndWrite()
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
      if !Self.exists(folder) {
        let (above, name) = Self.parts(of: folder)
        let isOfKeys = folder == keys
        try Directory(path: above).makeDirectory(name, permissions: isOfKeys ? 0o500 : 0o755)
        let made = try Directory(path: folder)
        try made.descriptor.setPermissions(isOfKeys ? 0o500 : 0o755, path: folder)
        // Only root and the daemon enter it.
        if isOfKeys, let user = ProcessRights.user(named: user) {
          try made.descriptor.setOwner(user, group: 0, path: folder)
        }
      }
      try createSmallFile(path: path, bytes, owner: (0, id), permissions: 0o640)
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
  }

  /// Removes a file. A failure is printed.
  static func remove(_ path: String) {
    do throws(FileError) {
      let (folder, name) = parts(of: path)
      try Directory(path: folder).remove(name)
    } catch {
      Output.error(error.words)
    }
  }

  /// Returns the directory that a path is in, and the last part of it.
  static func parts(of path: String) -> (folder: String, name: [UInt8]) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return (slash == path.startIndex ? "/" : String(path[..<slash]), Array(path[path.index(after: slash)...].utf8))
  }

  /// Returns the secret in a key file; nil if there is none.
  static func secret(in path: String) -> Secret? {
    guard var text = KeySearch.text(of: path)?[...] else { return nil }
    while let last = text.last, last.isNewline { text.removeLast() }
    return Secret(text: String(text))
  }

  /// True if there is something at a path, or it cannot be known.
  static func exists(_ path: String) -> Bool {
    do throws(FileError) {
      _ = try FileFacts(following: path)
      return true
    } catch {
      return error.code != "ENOENT"
    }
  }
}
