/// `/etc/waybill/fleet.toml`: the settings of the fleet, which shows the jobs of many hosts in one database.
public struct FleetSettings: Hashable, Sendable {
  /// A command that may be asked for from another machine.
  public enum Action: String, Choice, Hashable {
    case confirm, cancel, retry, discard
    /// A cancel that also removes the object.
    case remove
  }

  /// The connection string or URI, as libpq takes it.
  public var database: String
  /// The name by which people know the host; nil for the machine's own.
  public var name: String?
  /// The path of the daemon's control socket.
  public var socket = "/run/waybill/control.sock"
  /// The commands that the agent carries out for people elsewhere.
  public var allow = FleetSettings.usual
  /// False if file names, keys, links and messages must not leave the host.
  public var names = true
  /// The time between two heartbeats.
  public var heartbeat = Duration.seconds(10)
  /// The fleet's page.
  public var web = FleetWebSettings()

  /// The actions that are allowed by default.
  public static let usual: Set<Action> = [.confirm, .cancel, .retry]

  /// Creates settings with the defaults for all but the database.
  public init(database: String) { self.database = database }

  /// Reads and checks a file. Throws ``ConfigurationError`` with all problems.
  public static func load(path: String) throws(ConfigurationError) -> FleetSettings {
    let problems = Problems()
    let document = Document.all(path: path, hasFolder: false, problems: problems).first
    try problems.throwIfAny()
    var section = Section(file: path, path: "", line: nil, table: document?.root ?? [:], problems: problems)
    let settings = FleetSettings(&section)
    try problems.throwIfAny()
    return settings
  }

  init(_ section: inout Section) {
    self.init(database: section.requiredText("database", example: "\"postgresql://fleet.example.com/waybill\"") ?? "")
    name = section.text("name", example: "\"scanner-3\"").flatMap { $0.isEmpty ? nil : $0 }
    if let name, name.utf8.count > 128 { section.problem("name", "is longer than 128 bytes") }
    socket = section.path("socket", example: "\"/run/waybill/control.sock\"") ?? socket
    allow = section.choices("allow", example: "[\"confirm\", \"cancel\"]") ?? allow
    names = section.flag("names", default: true)
    heartbeat = section.duration("heartbeat", default: heartbeat, in: "1s"..."5min")
    if var inner = section.section("web", example: "[web]") { web = FleetWebSettings(&inner) }
    section.finish()
  }
}
