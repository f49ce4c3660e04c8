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
}
