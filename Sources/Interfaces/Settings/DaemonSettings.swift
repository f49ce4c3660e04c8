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
  public var grace = Duration.seconds(25)
  /// The time that registered and discarded jobs stay in the ledger.
  public var history = Duration.seconds(30 * 86_400)
  /// The amount of detail in the journal.
  public var journal: JournalDetail
  /// The address of the listener for metrics, or nil for none.
  public var metrics: ListenAddress?
  /// The user, by name or id, who may act for other people: the agent of the fleet. Nil for nobody.
  public var fleetUser: String?

  init(_ section: inout Section) {
    let environment = section.keyCheck.environment
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
    history = section.duration("history", default: history, in: "0s"..."100y")
    journal = section.choice("journal", default: .info)
    let listener = section.text("metrics", example: "\"127.0.0.1:9464\"") ?? ""
    metrics = ListenAddress(listener)
    if metrics == nil, !listener.isEmpty {
      section.problem(
        "metrics", "\(quoted(listener)) is not an address to listen on",
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

extension Section {
  /// Returns a number, or `"auto"`, which is the default.
  fileprivate mutating func concurrency(_ key: String, in range: ClosedRange<Int>) -> Concurrency {
    guard let node = node(key) else { return .auto }
    if node.text == "auto" { return .auto }
    guard let number = node.integer else {
      wrongType(key, node, "an integer or \"auto\"", example: "\(key) = \"auto\" or \(key) = 32")
      return .auto
    }
    guard range.contains(number) else {
      problem(key, "\(number) is out of range", "it may be \(range.lowerBound) to \(range.upperBound)")
      return .auto
    }
    return .fixed(number)
  }

  /// Returns bytes a second; nil for no limit.
  ///
  /// Below 16 KiB a second, portions would have to be a few bytes to be sent often enough to keep servers from giving up.
  fileprivate mutating func sendLimit(_ key: String) -> Int64? {
    let limit = size(key, default: "0", in: "0"..."1TiB")
    if limit > 0, limit < 16 << 10 {
      problem(key, "is less than 16KiB a second", "write at least \"16KiB\", or \"0\" for no limit")
    }
    return limit > 0 ? limit : nil
  }

  private static let database = "/usr/share/zoneinfo"
  /// The largest file that is read; those of the database have a few kilobytes.
  private static let largest = 1 << 18

  /// Returns the name of a time zone that the C library can use; nil if the key is missing or a problem was reported.
  fileprivate mutating func timeZone(_ key: String) -> String? {
    guard let name = text(key, example: "\"Europe/Berlin\"") else { return nil }
    if name == "UTC" { return name }
    let remedy = "write a name like \"Europe/Berlin\"; timedatectl list-timezones shows them all"
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard name.utf8.count <= 255, parts.allSatisfy({ Self.isZonePart($0) }) else {
      return refuse(key, "\(quoted(name)) is not a time zone", remedy)
    }
    if parts.first == "right" {
      return refuse(key, "the time zone \(quoted(name)) counts leap seconds, which the system's clock does not", remedy)
    }
    do throws(FileError) {
      // A file of RFC 8536. The C library takes any other one for UTC.
      guard try readSmallFile(path: Self.database + "/" + name, limit: Self.largest).starts(with: "TZif".utf8) else {
        return refuse(key, "\(quoted(name)) is not a time zone", remedy)
      }
      return name
    } catch {
      return refuse(
        key, "the time zone \(quoted(name)) cannot be read: \(error.words)",
        "\(remedy). The package tzdata has them", mayPass: error.mayPass)
    }
  }

  private static func isZonePart(_ part: Substring) -> Bool {
    !part.isEmpty && part.utf8.allSatisfy { NameText.isLetterOrDigit($0) || "_+-".utf8.contains($0) }
  }
}
