// Made by scripts/messages from Table/fleet.txt.

extension Message {
  /// `asked {host}; it has not answered yet`
  public static func fleetAsked(host: String) -> Message {
    Message(code: "fleet-asked", ["host": .text(host)])
  }

  /// `{host} does not allow {action} from elsewhere: see allow in its fleet.toml`
  public static func fleetNotAllowed(host: String, action: String) -> Message {
    Message(code: "fleet-not-allowed", ["host": .text(host), "action": .text(action)])
  }

  /// `You can only look: nobody is named in whose name the answer would be, or the role in the database may not ask`
  public static let fleetReadOnly = Message(code: "fleet-read-only")

  /// `Several hosts have a job {job}: name it as HOST:NUMBER, or with the ledger of its host`
  public static func fleetAmbiguous(job: String) -> Message {
    Message(code: "fleet-ambiguous", ["job": .text(job)])
  }

  /// `Job {job} of {host} cannot be shown: its row in the database is damaged`
  public static func fleetDamaged(job: String, host: String) -> Message {
    Message(code: "fleet-damaged", ["job": .text(job), "host": .text(host)])
  }

  /// `Only the daemon of a host can do this: ask it there`
  public static let fleetElsewhere = Message(code: "fleet-elsewhere")

  /// `Only the daemon of {host} can do this: ask it there`
  public static func fleetElsewhereHost(host: String) -> Message {
    Message(code: "fleet-elsewhere-host", ["host": .text(host)])
  }

  /// `done on {done} hosts; refused by {refused}; not answered yet by {open}`
  public static func fleetHosts(done: some BinaryInteger, refused: some BinaryInteger, open: some BinaryInteger)
    -> Message
  {
    Message(
      code: "fleet-hosts",
      [
        "done": .number(Int64(clamping: done)), "refused": .number(Int64(clamping: refused)),
        "open": .number(Int64(clamping: open)),
      ])
  }

  /// `too many wait for the database already: try again in a moment`
  public static let fleetBusy = Message(code: "fleet-busy")

  /// `this fleet is not served under that name: add it to server_names of [web] in fleet.toml`
  public static let fleetOtherName = Message(code: "fleet-other-name")

  /// `the request came from another page`
  public static let fleetOtherPage = Message(code: "fleet-other-page")

  /// `a command needs Content-Type: application/json`
  public static let fleetJsonNeeded = Message(code: "fleet-json-needed")

  /// `there is no such host`
  public static let fleetNoHost = Message(code: "fleet-no-host")

  /// `host needs a value`
  public static let fleetHostNeeded = Message(code: "fleet-host-needed")

  /// `a problem: ask the host`
  public static let problemOnHost = Message(code: "problem-on-host")

  /// `host is for a fleet: this is the daemon of one host`
  public static let hostIsOfFleet = Message(code: "host-is-of-fleet")
}
