public import Jobs
public import Linux

/// `[daemon]`: the settings of the daemon as a whole.
public struct DaemonSettings: Hashable, Sendable {
  /// The amount of detail in the journal.
  public enum JournalDetail: String, Choice {
    /// Also an entry for each job admitted and uploaded.
    case debug
    /// An entry for each registered job, and for everything that needs a person's attention.
    case info
    /// No entry for each registered job.
    case notice
  }

  /// The directory of the ledger, absolute. Default: the first of `$STATE_DIRECTORY`, else `/var/lib/waybill`.
  public var state: String
  /// The control socket's path as configured; nil if there is none, so that a socket passed by systemd comes first.
  public var control: String?
  /// The control socket's path if none is configured or passed: `$RUNTIME_DIRECTORY/control.sock`, else
  /// `/run/waybill/control.sock`.
  public var defaultControl: String
  /// The number of attempts in flight: a measured limit for each destination, or 1 … 1,024 for all together.
  public var concurrency: Concurrency
  /// The limit of a spool's jobs that are queued or active; beyond it, nothing is admitted, and further files wait in the spool. So
  /// many are sent in minutes, and memory and the ledger do not grow with a spool.
  public var admitAhead = 10_000
  /// The number of bytes that must be free for the ledger, else nothing is admitted.
  public var minFree: Int64
  /// The number of bytes a second of all uploads together; nil for no limit.
  public var bandwidth: Int64?
  /// The name of the time zone of the dates in keys and the like. It is that of the process, unless it is `UTC`.
  public var timeZone: String
  /// The time that requests in flight have to end after SIGTERM: less than Kubernetes gives a container (30 s) and systemd a service.
  /// A longer one is made again at the next start; a large file goes on with the part that was cut.
  public var grace = Duration.seconds(25)
  /// The time that registered and discarded jobs stay in the ledger.
  public var history: Duration
  /// The amount of detail in the journal.
  public var journal: JournalDetail
  /// The address of the listener for metrics, or nil for none.
  public var metrics: ListenAddress?
  /// The user, by name or id, who may act for other people: the agent of the fleet. Nil for nobody.
  public var fleetUser: String?
}

extension DaemonSettings {
  /// Reads `[daemon]`; a missing key has its default.
  init(_ section: inout Section, environment: [String: String]) {
    state =
      section.path("state", example: "\"/var/lib/waybill\"")
      ?? Self.directory("STATE_DIRECTORY", in: environment) ?? "/var/lib/waybill"
    control = section.path("control", example: "\"/run/waybill/control.sock\"")
    // sockaddr_un has room for 108 bytes, the last of which is NUL (unix(7)).
    if let control, control.utf8.count > 107 {
      section.problem("control", "is longer than 107 bytes, the limit for a socket's path")
    }
    defaultControl = (Self.directory("RUNTIME_DIRECTORY", in: environment) ?? "/run/waybill") + "/control.sock"
    concurrency = section.concurrency("concurrency", in: 1...1024)
    minFree = section.size("min_free", default: "64MiB", in: "0"..."1024TiB")
    bandwidth = section.sendLimit("bandwidth")
    timeZone = section.timeZone("timezone") ?? Self.utc
    history = section.duration("history", default: "30d", in: "0s"..."100y")
    journal = section.choice("journal", default: .info)
    let listener = section.text("metrics", example: "\"127.0.0.1:9464\"") ?? ""
    metrics = ListenAddress(listener)
    if metrics == nil, !listener.isEmpty {
      section.problem(
        "metrics", "\(Quoted(listener)) is not an address to listen on",
        "write it like \"127.0.0.1:9464\" or \"[::1]:9464\"")
    }
    fleetUser = section.text("fleet_user", example: "\"waybill-fleet\"").flatMap { $0.isEmpty ? nil : $0 }
    section.finish()
  }

  private static let utc = "UTC"

  /// The clock of the dates in keys and the like.
  public var localTime: LocalTime { timeZone == Self.utc ? .utc : .process }

  /// Gives the process the time zone of the dates. For the start of a program; see ``LocalTime/setProcessZone(_:)``.
  public func setProcessZone() {
    if localTime == .process { LocalTime.setProcessZone(timeZone) }
  }

  /// Returns a directory from the environment. systemd gives a list with colons if a unit has several directories
  /// (systemd.exec(5)): the first is the daemon's.
  private static func directory(_ variable: String, in environment: [String: String]) -> String? {
    environment[variable].flatMap { $0.split(separator: ":").first }.map(String.init)
  }
}
