import ControlAPI
import HTTPTransfer
import Messages
import PostgreSQL
public import Settings

/// The agent of one host: keeps the fleet's tables in agreement with the local ledger, sends heartbeats, and carries out commands
/// from elsewhere. The daemon does not need it, and does not notice its end.
public struct FleetAgent: Sendable {
  private let settings: FleetSettings
  private let name: String
  /// The name of this agent, which no other has.
  private let session = String(UInt64.random(in: .min ... .max), radix: 16)
  private let report: @Sendable (Report) -> Void

  /// A message for the people who look after the host.
  public enum Report: Hashable, Sendable {
    /// The agent does its work: it has begun, or a trouble is over.
    case works(String)
    /// The agent makes no progress, and tries again.
    case trouble(String)
    /// The agent made progress: the database accepted a heartbeat, or an attempt to reach it is over.
    case progress
  }

  private static let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(15)]

  /// The number of seconds that the daemon waits for a change, less than the time that it has to answer.
  private static let wait = 5

  /// The time for which changes gather before the next ones are read, so that a job that ends meanwhile is read once; and the time
  /// between two looks for commands.
  private static let pace = Duration.seconds(1)

  /// The longest time for which changes gather, where there are many.
  private static let longestPace = Duration.seconds(5)

  /// The number of looks in a row that fail before it is told: a daemon that restarts is normal.
  private static let patience = 5

  /// Creates an agent of a host with the name by which people know it.
  public init(_ settings: FleetSettings, name: String, report: @escaping @Sendable (Report) -> Void) {
    (self.settings, self.name, self.report) = (settings, name, report)
  }

  /// Works until the task is cancelled.
  /// - Throws: an error if no thread can be started; any other trouble is reported once and tried again.
  public func run() async throws {
    let connection = try PostgreSQLConnection(settings.database)
    // the calls of the carrier, and one for changes and status
    let transport = try Transport(maxConnections: CommandCarrier.calls + 1)
    let client = ControlClient(socket: settings.socket, transport: transport)
    var failures = 0
    var told: String?
    while !Task.isCancelled {
      let began = ContinuousClock.now
      do {
        try await work(connection, client) { told = nil }
      } catch is CancellationError {
        break
      } catch {
        if Task.isCancelled { break }
        if ContinuousClock.now - began > .seconds(30) { failures = 0 }
        let words = Self.words(error)
        if told != words { report(.trouble(words)) }
        told = words
        report(.progress)
        try? await Task.sleep(for: Self.pauses[min(failures, Self.pauses.count - 1)])  // Ignored: cancelled.
        failures += 1
      }
    }
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case let error as PostgreSQLError:
      "the database: \(error). This host goes on by itself; the fleet hears of it again when the database answers"
    case let error as ControlError: "the daemon: \(error)"
    default: "\(error)"
    }
  }

  private func work(
    _ connection: PostgreSQLConnection, _ client: ControlClient, _ connected: () -> Void
  ) async throws {
    let ledger = try await ledger(client)
    let mirror = try await Mirror.open(
      connection, ledger: ledger, session: session, name: name, allow: settings.allow.map(\.rawValue),
      heartbeat: settings.heartbeat, names: settings.names)
    report(.works("mirrors ledger \(ledger) as \"\(name)\" from event \(mirror.applied)"))
    connected()
    let carrier = CommandCarrier(
      connection: connection, client: client, ledger: ledger, allow: settings.allow, names: settings.names)
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await copy(client, mirror) }
        group.addTask { try await carry(carrier) }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      if Task.isCancelled { try? await mirror.close() }  // Ignored: the agent ends.
      throw error
    }
  }

  private func ledger(_ client: ControlClient) async throws(ControlError) -> String {
    let answer = try await client.get("/v1/status")
    do throws(JSONFault) {
      var status = try JSONReader.object(answer)
      var identity = try status.member("ledger_identity").object()
      return try identity.member("uuid").text()
    } catch {
      throw .unreadable(socket: settings.socket, words: error.words)
    }
  }

  /// Copies the changes of the ledger, and sends heartbeats, until the task is cancelled.
  private func copy(_ client: ControlClient, _ mirror: Mirror) async throws {
    var mirror = mirror
    var failures = 0
    // answers in a row: the more there was, the longer the next changes gather
    var pages = 0
    var gathered = Self.longestPace
    var due = ContinuousClock.now
    while true {
      try Task.checkCancellation()
      let began = ContinuousClock.now
      if began >= due {
        due = began + settings.heartbeat
        // Ignored: the fleet is told that it does not answer.
        let status = try? await client.get("/v1/status?texts=coded" + (settings.names ? "" : "&names=false"))
        let trouble: Message? =
          status == nil ? .fleetDaemonSilent : failures < Self.patience ? nil : .fleetNotCopied
        try await mirror.beat(status, trouble: trouble)
        report(.progress)
      }
      var isMore = false
      do {
        let wait = min(Self.wait, Int(max(0, (due - .now).components.seconds)))
        isMore = try await mirror.step(wait: wait) { try await client.get($0, wait: wait) }
        if failures >= Self.patience {
          report(.works("the daemon says again what changed: copied up to event \(mirror.applied)"))
        }
        failures = 0
      } catch let error as ControlError {
        // its changes are copied when it answers again
        failures += 1
        if failures == Self.patience {
          report(
            .trouble("\(Self.words(error)). The fleet has this host's jobs as they were until it says what changed"))
        }
      }
      pages += 1
      // of many jobs most will change again soon: they are read later, so that each is read once
      let isBurst = isMore && pages == 1 && gathered < Self.longestPace && mirror.seen != nil
      if !isMore || isBurst {
        gathered = isBurst ? Self.longestPace : min(Self.pace * pages, Self.longestPace)
        try await Task.sleep(until: min(.now + gathered, due), clock: .continuous)
        pages = 0
      }
    }
  }

  private func carry(_ carrier: CommandCarrier) async throws {
    while true {
      try Task.checkCancellation()
      let next = ContinuousClock.now + Self.pace
      if try await !carrier.step() { try await Task.sleep(until: next, clock: .continuous) }
    }
  }
}
