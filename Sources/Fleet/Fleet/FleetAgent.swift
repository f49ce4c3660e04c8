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
  private let session: String
  private let lookEvery: Duration
  private let report: @Sendable (Report) -> Void

  /// A message for the people who look after the host.
  public enum Report: Hashable, Sendable {
    /// The agent has begun to mirror.
    case begun(String)
    /// The agent makes no progress, and tries again.
    case trouble(String)
    /// A trouble that was reported is over, without a new beginning.
    case over(String)
    /// The agent made progress: the database accepted a heartbeat, or an attempt to reach it is over.
    case progress
  }

  /// The pauses after an error, growing.
  private static let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(15)]

  /// The number of seconds that the daemon waits for a change, less than the time that it has to answer.
  private static let wait = 5

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
        try? await Task.sleep(for: Self.pauses[min(failures, Self.pauses.count - 1)])  // ignored: cancelled
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
    let ledger = try await ledger(client)
    let (store, position) = try await HostStore.open(
      connection, ledger: ledger, session: session, name: name, allow: settings.allow.map(\.rawValue),
      heartbeat: settings.heartbeat, names: settings.names)
    report(.begun("mirrors ledger \(ledger) as \"\(name)\" from event \(position.applied)"))
    connected()
    let trouble = CopyTrouble()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await mirror(client, store, position, trouble) }
        group.addTask { try await live(client, store, trouble) }
        group.addTask { try await carry(connection, client, ledger) }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      if Task.isCancelled { try? await store.close() }  // ignored: it is over
      throw error
    }
  }

  /// Returns the uuid of the daemon's ledger.
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

  /// Copies the changes of the ledger until the task is cancelled.
  private func mirror(
    _ client: ControlClient, _ store: HostStore, _ position: MirrorPosition, _ trouble: CopyTrouble
  ) async throws {
    var mirror = Mirror(store, at: position, names: settings.names) { try await client.get($0) }
    var pace = GatheringPace()
    while true {
      try Task.checkCancellation()
      let more: Bool
      do {
        more = try await mirror.step(wait: Self.wait)
      } catch let error as ControlError {
        // its changes are copied when it answers again
        if trouble.failed(error) {
          report(
            .trouble("\(Self.words(error)). The fleet has this host's jobs as they were until it says what changed"))
        }
        try await Task.sleep(for: .seconds(1))
        continue
      }
      if trouble.ended() {
        report(.over("the daemon says again what changed: copied up to event \(mirror.position.applied)"))
      }
      if !more { try await Task.sleep(for: pace.pause(after: mirror.position.applied, at: .now)) }
    }
  }

  /// Sends heartbeats until the task is cancelled.
  private func live(_ client: ControlClient, _ store: HostStore, _ copy: CopyTrouble) async throws {
    while true {
      let due = ContinuousClock.now + settings.heartbeat
      let (status, trouble) = await status(client, copy)
      try await store.beat(status, trouble: trouble)
      report(.progress)
      try await Task.sleep(until: due, clock: .continuous)
    }
  }

  /// Returns the daemon's state, and the trouble that the fleet is told of: that it is not known, or that the copy does not go on.
  private func status(_ client: ControlClient, _ copy: CopyTrouble) async -> ([UInt8]?, String?) {
    do throws(ControlError) {
      let status = try await client.get("/v1/status?texts=coded" + (settings.names ? "" : "&names=false"))
      return (status, copy.lasting.map { "its changes are not copied: " + words($0, "its daemon does not tell them") })
    } catch {
      return (nil, words(error, "its daemon does not say how it is"))
    }
  }

  /// Returns an error in words. A host that does not show names has others for an answer of the daemon, which may contain one.
  private func words(_ error: ControlError, _ bare: String) -> String {
    switch error {
    case .noDaemon, .notPermitted: "\(error)"
    default: settings.names ? "\(error)" : "\(bare): look at the host"
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
