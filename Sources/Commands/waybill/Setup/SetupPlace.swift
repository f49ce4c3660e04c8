import ArgumentParser
import CommandParts
import FoundationEssentials
import Glibc
import Jobs
import Linux
import Settings

/// The files and the service of the daemon that is set up: the one of the package, an instance, or one that is started by hand.
struct SetupPlace: Equatable {
  let configuration: String
  /// The unit that reads it, if systemd runs here; nil for a configuration of another place.
  let unit: String?
  var user = "waybill"
  var group = "waybill"
  /// The option by which other commands mean it, with a space before it.
  let option: String
  /// The beginning of the paths of its key files.
  let keys: String

  static let usual = "/etc/waybill/waybill.toml"

  init(
    configuration: String, instance: String?,
    isSystemd: Bool = FileManager.default.fileExists(atPath: "/run/systemd/system")
  ) {
    self.configuration = instance.map { "/etc/waybill/\($0).toml" } ?? configuration
    let unit = instance.map { "waybill@\($0).service" } ?? (configuration == Self.usual ? "waybill.service" : nil)
    self.unit = isSystemd ? unit : nil
    keys = SetupFile.parts(of: self.configuration).folder + "/keys/" + (instance.map { $0 + "-" } ?? "")
    option = instance.map { " --instance \($0)" } ?? ""
  }

  /// Throws for options that name no place.
  static func validate(_ configuration: String, instance: String?) throws {
    guard instance == nil || configuration == usual else {
      throw ValidationError("--config and --instance cannot be used together.")
    }
    guard configuration.hasPrefix("/") else { throw ValidationError("--config needs an absolute path.") }
  }

  var start: String { unit.map { "systemctl enable --now \($0)" } ?? "waybilld --config \(configuration)" }

  /// Reads the configuration, with a file that is not there yet. The keys need not be readable.
  func load(
    _ environment: [String: String], adding file: SetupFile? = nil
  ) throws(ConfigurationError) -> Configuration {
    try Configuration.load(
      path: configuration, environment: environment, readingCredentials: false,
      replacing: file.map { [$0.path: $0.bytes] } ?? [:])
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
  let remedy: String

  /// Returns true if it is there, apart from line ends at its end.
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

  func write() throws {
    guard try !isThere() else { return }
    let id = group.map { GroupName.id(of: $0) } ?? getegid()
    guard let id else {
      throw CommandFailure(words: "there is no group \(group ?? "") yet: run systemd-sysusers, or install the package")
    }
    try Self.make(Self.parts(of: path).folder, for: reader)
    try createSmallFile(path: path, bytes, owner: (ProcessRights.user, id), permissions: group == nil ? 0o644 : 0o640)
  }

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

  static func parts(of path: String) -> (folder: String, name: [UInt8]) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return (slash == path.startIndex ? "/" : String(path[..<slash]), Array(path[path.index(after: slash)...].utf8))
  }
}

struct SetupOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The group whose members may drop files. Default: waybill-drop.", valueName: "group"))
  var group: String?
  @Option(help: .config, completion: .file(extensions: ["toml"])) var config = SetupPlace.usual
  @Option(help: ArgumentHelp("The instance NAME: its files and its service.", valueName: "name"))
  var instance: String?
  @Flag(help: "Do not ask, even about files that are already there and will be sent.") var yes = false
  @Flag(name: .customLong("print"), help: "Print the plan, and write nothing.") var prints = false

  func validate() throws {
    try SetupPlace.validate(config, instance: instance)
    try ConnectionOptions.validate(instance: instance)
  }

  var place: SetupPlace { SetupPlace(configuration: config, instance: instance) }

  func requireRoot(_ command: String) throws(CommandFailure) {
    guard prints || ProcessRights.user == 0 else {
      throw CommandFailure(status: .notPermitted, words: "run it as root: sudo waybill \(command)")
    }
  }

  /// Shows which files are going to be written, and asks a person if there is something to think of; with `--print` shows all.
  /// Returns true if they are to be written.
  func agree(
    to files: [SetupFile], _ spool: SpoolSetup, then commands: [String], asks: Bool, command: String
  ) throws -> Bool {
    for file in files { _ = try file.isThere() }
    Output.line("To write:")
    for file in files { Output.line("  " + DisplayText.escape(file.path)) }
    if prints, let file = files.last {
      Output.line("\(file.path):\n\(String(decoding: file.bytes.dropLast(), as: UTF8.self))")
      show(commands)
      return false
    }
    let remarks = spool.remarks
    for remark in remarks { Output.folded(remark) }
    if !yes, asks || !remarks.isEmpty {
      try YesNoQuestion.ask("Do it?", before: command, otherwise: "nothing was changed")
    }
    return true
  }

  func show(_ commands: [String]) {
    Output.line("Then, as root:")
    // Not folded: a person copies them.
    for line in commands { Output.line("  " + DisplayText.escape(line)) }
  }
}
