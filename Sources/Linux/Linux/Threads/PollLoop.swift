import Glibc
import Messages
import Seams
import Synchronization

/// The loop of a ``PollThread``. The thread holds this object and not its owner, so that the owner can be released.
final class PollLoop: Sendable {
  struct Contents {
    var handler: (@Sendable () -> Void)?
    var source: Int32?
    /// The descriptor for urgent data, and true if it has reported some that nobody took.
    var urgentSource: Int32?
    var isUrgent = false
    var alarm: ContinuousClock.Instant?
    /// True if the handler must be called although no descriptor is ready.
    var wasAsked = false
    var isStopped = false
    /// The timer that replaces the alarm in a simulation.
    var worldTimer: WorldTimer?
  }

  /// The maximum number of rounds of jobs before the descriptors are checked again.
  private static let mostRounds = 16

  /// The longest time-out for poll(2), in milliseconds. A later alarm uses the timer, because that time-out stands still during a
  /// suspend.
  private static let longestTimeout: Int32 = 1000

  private let contents = Mutex(Contents())
  let thread: LoopThread
  private let timer: BootTimer

  init(name: String, on machine: Machine) throws(FileError) {
    thread = try LoopThread(name, on: machine)
    timer = try BootTimer()
  }

  func update(_ change: (inout Contents) -> Void) {
    contents.withLock { change(&$0) }
    thread.wake()
  }

  /// Returns true if the urgent descriptor has reported something since the last call.
  func takeUrgent() -> Bool {
    contents.withLock { contents in
      defer { contents.isUrgent = false }
      return contents.isUrgent
    }
  }

  func stop() { update { $0.isStopped = true } }

  func run() {
    var jobs = LoopThread.Jobs()
    while true {
      // Jobs that a job has enqueued come before the descriptors, but only for a limited number of rounds.
      var rounds = 0
      while rounds < Self.mostRounds, thread.runJobs(&jobs) { rounds += 1 }
      guard wait() else { return }
    }
  }

  /// Sleeps until there is something to do, and calls the handler if needed; returns false when the thread must end.
  private func wait() -> Bool {
    // This comes before the contents are read: a later change rings the bell, or mayFallAsleep() detects it.
    _ = thread.takeWake()
    var sources = [pollfd(fd: thread.bell, events: Int16(POLLIN), revents: 0)]
    var timeout: Int32 = -1
    let isStopped = contents.withLock { contents in
      sources += Self.sources(contents)
      if contents.wasAsked {
        timeout = 0
      } else if let alarm = contents.alarm {
        timeout = Self.milliseconds(until: alarm)
        if timeout > Self.longestTimeout {
          timer.set(after: .milliseconds(timeout))
          sources.append(pollfd(fd: timer.descriptor, events: Int16(POLLIN), revents: 0))
          timeout = -1
        }
      }
      return contents.isStopped
    }
    let mayFallAsleep = thread.mayFallAsleep()
    // The last jobs are run before the end.
    if isStopped, mayFallAsleep { return false }
    if !mayFallAsleep { timeout = 0 }
    let ready = unsafe Glibc.poll(&sources, nfds_t(sources.count), timeout)
    // An error (ENOMEM) is treated as a time-out: the loop handles what is due and polls again.
    thread.wokeUp(bellRang: ready > 0 && sources[0].revents != 0)
    let sourceIsReady =
      ready > 0 && sources.dropFirst().contains { $0.revents != 0 && $0.fd != timer.descriptor }
    handle(sources, isReady: sourceIsReady)
    return true
  }

  /// Calls the handler if a descriptor is ready, the alarm is due, or a caller has asked for it.
  private func handle(_ sources: [pollfd], isReady sourceIsReady: Bool) {
    let handler = contents.withLock { contents -> (@Sendable () -> Void)? in
      if sources.contains(where: { $0.events == Int16(POLLPRI) && $0.revents != 0 }) { contents.isUrgent = true }
      let rings = contents.alarm.map { $0 <= thread.machine.now } ?? false
      if rings { contents.alarm = nil }
      defer { contents.wasAsked = false }
      return rings || contents.wasAsked || sourceIsReady ? contents.handler : nil
    }
    handler?()
  }

  // MARK: In a simulation

  /// A round without waiting. The world calls it when something was changed, a descriptor is ready or the alarm is due.
  func goRound() {
    _ = thread.takeWake()
    var sources: [pollfd] = []
    let isStopped = contents.withLock { contents in
      sources = Self.sources(contents)
      return contents.isStopped
    }
    guard !isStopped else {
      thread.watch([], nil)
      setTimer(nil)
      return thread.endRounds()
    }
    let ready = sources.isEmpty ? 0 : unsafe Glibc.poll(&sources, nfds_t(sources.count), 0)
    handle(sources, isReady: ready > 0)
    let (wanted, alarm) = contents.withLock { (Self.sources($0), $0.alarm) }
    thread.watch(wanted.map { WorldSource($0.fd, isUrgent: $0.events == Int16(POLLPRI)) }) { [weak self] in
      self?.goRound()
    }
    setTimer(alarm)
  }

  private static func sources(_ contents: Contents) -> [pollfd] {
    [(contents.source, POLLIN), (contents.urgentSource, POLLPRI)].compactMap { source, events in
      source.map { pollfd(fd: $0, events: Int16(events), revents: 0) }
    }
  }

  private func setTimer(_ alarm: ContinuousClock.Instant?) {
    let next = alarm.flatMap { alarm in
      thread.run(after: max(.zero, alarm - thread.machine.now)) { [weak self] in self?.goRound() }
    }
    let last = contents.withLock { exchange(&$0.worldTimer, with: next) }
    if let last { thread.stop(last) }
  }

  /// Rounded up, so that the thread never wakes just before the time and spins.
  private static func milliseconds(until moment: ContinuousClock.Instant) -> Int32 {
    let left = ContinuousClock.now.duration(to: moment) + .nanoseconds(999_999)
    return Int32(min(max(0, left.milliseconds), 86_400_000))
  }
}
