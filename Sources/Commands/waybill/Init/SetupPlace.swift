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
  }

  /// The directory of the configuration.
  var folder: String { String(configuration[..<(configuration.lastIndex(of: "/") ?? configuration.startIndex)]) }
  /// The directory of the keys.
  var keys: String { folder + "/keys" }

  /// Returns the file of a key.
  func key(_ name: String) -> String { "\(keys)/\(keyPrefix)\(name)" }
}
