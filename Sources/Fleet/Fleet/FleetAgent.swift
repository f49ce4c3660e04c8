import ControlAPI
import HTTPTransfer
import Jobs
import PostgreSQL
public import Settings

/// The agent of one host: keeps the fleet's tables in agreement with the local ledger, sends heartbeats, and carries out commands
/// from elsewhere. The daemon does not need it, and does not notice its end.
public struct FleetAgent: Sendable {
  private let settings: FleetSettings
  private let name: String
  private let session: String
  private let lookEvery: Duration
  private let report: @Sendable (Report) -> Void

  /// A message for the people who look after the host.
  public enum Report: Hashable, Sendable {
    /// The agent has begun to mirror.
    case begun(String)
    /// The agent makes no progress, and tries again.
    case trouble(String)
    /// The agent made progress: the database accepted a heartbeat, or an attempt to reach it is over.
    case progress
  }

  /// The pauses after an error, growing.
  private static let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(15)]

  /// The shortest time between two looks for commands, however many notifications come.
  private static let leastPause = Duration.milliseconds(100)

  /// Creates an agent.
  ///
  /// - Parameters:
  ///   - name: the name by which people know the host.
  ///   - session: see ``HostStore/open(_:ledger:session:name:allow:heartbeat:)``.
  ///   - lookEvery: the time between two looks for commands, with a fifth more or less.
  ///   - report: called with each message.
  public init(
    _ settings: FleetSettings, name: String, session: String, lookEvery: Duration = .seconds(2),
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.settings = settings
    self.name = name
    self.session = session
    self.lookEvery = lookEvery
    self.report = report
  }

  /// Works until the task is cancelled.
  ///
  /// - Throws: an error if no thread can be started; any other trouble is reported once and tried again.
  public func run() async throws {
    let connection = try PostgreSQLConnection(settings.database)
    // the calls of the carrier, one that waits for changes, and one for the status
    let transport = try Transport(maxConnections: CommandCarrier.calls + 2)
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
        try? await Task.sleep(for: Self.pauses[min(failures, Self.pauses.count - 1)])
        failures += 1
      }
    }
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case let error as PostgreSQLError:
      "the database: \(error). This host goes on by itself; the fleet hears of it again when the database answers"
    case let error as ControlError: "the daemon: \(error)"
    case is Mirror.OtherLedger: "the daemon has another ledger now"
    default: "\(error)"
    }
  }

  private func work(
    _ connection: PostgreSQLConnection, _ client: ControlClient, _ connected: () -> Void
  ) async throws {
    guard let identity = try await client.status().identity else {
      throw ControlError.unreadable(socket: settings.socket, words: "this waybilld is too old for a fleet")
    }
    let (store, position) = try await HostStore.open(
      connection, ledger: identity.uuid, session: session, name: name, allow: settings.allow.map(\.rawValue),
      heartbeat: settings.heartbeat, names: settings.names)
    report(.begun("mirrors ledger \(identity.uuid) as \"\(name)\" from event \(position.applied)"))
    connected()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await mirror(client, store, position, identity.uuid) }
        group.addTask { try await live(client, store) }
        group.addTask { try await carry(connection, client, identity.uuid) }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      if Task.isCancelled { try? await store.close() }
      throw error
    }
  }

  /// Copies the changes of the ledger until the task is cancelled.
  private func mirror(
    _ client: ControlClient, _ store: HostStore, _ position: MirrorPosition, _ uuid: String
  ) async throws {
    var mirror = Mirror(source: DaemonSource(client), store: store, position: position, names: settings.names)
    var pace = GatheringPace()
    while true {
      try Task.checkCancellation()
      let more: Bool
      do {
        more = try await mirror.step(wait: 10, expecting: uuid)
      } catch is ControlError {
        // the daemon is away: the heartbeat says so, and its changes are copied when it is back
        try await Task.sleep(for: .seconds(1))
        continue
      }
      if !more { try await Task.sleep(for: pace.pause(after: mirror.position.applied, at: .now)) }
    }
  }

  /// Sends heartbeats until the task is cancelled.
  private func live(_ client: ControlClient, _ store: HostStore) async throws {
    while true {
      let due = ContinuousClock.now + settings.heartbeat
      let (status, trouble) = await status(client)
      try await store.beat(status, trouble: trouble, names: settings.names)
      report(.progress)
      try await Task.sleep(until: due, clock: .continuous)
    }
  }

  private func status(_ client: ControlClient) async -> (StatusMessage?, String?) {
    do throws(ControlError) {
      return (try await client.status(), nil)
    } catch {
      return (nil, settings.names ? "\(error)" : Self.bare(error))
    }
  }

  /// Returns an error in words for a host that does not show names: an answer of the daemon may contain one.
  private static func bare(_ error: ControlError) -> String {
    switch error {
    case .noDaemon, .notPermitted: "\(error)"
    default: "its daemon does not say how it is: look at the host"
    }
  }

  private func carry(_ connection: PostgreSQLConnection, _ client: ControlClient, _ ledger: String) async throws {
    let carrier = CommandCarrier(
      connection, client: client, ledger: ledger, allow: settings.allow, names: settings.names)
    let channel = CommandCarrier.channel + ledger.filter { $0 != "-" }
    while true {
      try Task.checkCancellation()
      // every user of the database may send notifications: many of them cause no more looks than these
      let next = ContinuousClock.now + Self.leastPause
      if try await carrier.step() { continue }
      // A notification is only a hint, and may be lost: the look at intervals is what counts.
      let pause = lookEvery * Double.random(in: 0.8...1.2)
      do {
        _ = try await connection.notice(on: channel, within: pause)
        try await Task.sleep(until: next, clock: .continuous)
      } catch let error as PostgreSQLError where !error.isOfConnection {
        // Ignored: a server or a pooler without LISTEN. Then there are only the looks at intervals.
        try await Task.sleep(for: pause)
      }
    }
  }
}
