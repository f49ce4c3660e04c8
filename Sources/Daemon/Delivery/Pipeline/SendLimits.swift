package import HTTPTransfer
package import Jobs
package import Linux
package import Reports
import Settings

/// Applies `bandwidth` to the uploads: the limit that the configuration in effect gives for the present time. It looks again when
/// that time is over. If the limit is the same at all times, no timer runs.
package actor SendLimits {
  /// The longest time without a look. Somebody may set the clock.
  private static let longest = Duration.seconds(60)

  private let current: CurrentConfiguration
  private let transport: Transport
  private let journal: EventLog
  private let clock: Clock
  private let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let alarm: Alarm
  /// The limit that is applied, 0 for none; nil before the first look.
  private var limit: Int64?

  package init(
    current: CurrentConfiguration, transport: Transport, journal: EventLog, clock: Clock, on machine: Machine
  ) throws(ThreadError) {
    self.current = current
    self.transport = transport
    self.journal = journal
    self.clock = clock
    alarm = try Alarm("waybill.bandwidth", on: machine, ring: { [turn] in turn.yield() })
  }

  /// Applies the limit of each time until the task is cancelled.
  package func run() async throws {
    turn.yield()
    for await _ in turns { await look() }
    try Task.checkCancellation()
  }

  /// Applies the limit of the present time.
  package func look() async {
    let daemon = current.now.configuration.daemon
    let now = clock.now()
    let wanted = daemon.sendLimit(at: now)
    if limit != wanted ?? 0 {
      limit = wanted ?? 0
      await transport.limit(sendLimit: wanted)
      if !daemon.bandwidth.windows.isEmpty {
        let words = wanted.map { "limited to \($0) bytes a second" } ?? "not limited"
        journal.notice("bandwidth: uploads are \(words) from now on")
      }
    }
    guard let next = daemon.bandwidth.nextChange(after: now, in: daemon.timeZone) else { return alarm.set(nil) }
    alarm.set((clock.steady() + min(next - now, Self.longest)).microseconds)
  }
}

extension DaemonSettings {
  /// Returns the bytes a second that all uploads together may send at a moment; nil for no limit.
  package func sendLimit(at time: Timestamp) -> Int64? {
    let limit = bandwidth.limit(at: time, in: timeZone)
    return limit > 0 ? limit : nil
  }
}
