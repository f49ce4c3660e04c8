import CLinux
import Glibc

/// What the thread of a ``PollThread`` does. The thread holds this and not the executor, so that the executor can go.
final class PollLoop: Sendable {
  /// Sound although unchecked: jobs are handed from the runtime to the one thread that runs them, once, under the lock.
  @safe struct Contents: @unchecked Sendable {
    var jobs: [Work] = []
    var executors: Executors?
    var handler: (@Sendable () -> Void)?
    var source: Int32?
    /// What has urgent things to say, and whether it has said one that nobody took.
    var urgentSource: Int32?
    var isUrgent = false
    var alarm: ContinuousClock.Instant?
    var wasAsked = false
    var isStopped = false
    var isPolling = false
    var thread: pthread_t?
  }

  /// A job, and whether it belongs to a task that prefers this thread rather than to the actor.
  struct Work {
    let job: UnownedJob
    let isTask: Bool
  }

  /// As whose the jobs run.
  @safe struct Executors {
    let actors: UnownedSerialExecutor
    let tasks: UnownedTaskExecutor
  }

  /// How often jobs are run in a row before what is polled for is looked at again.
  private static let mostRounds = 16

  /// Alarms that are further off are the timer's: the time-out of poll(2) stands still while the machine sleeps.
  private static let longestTimeout: Int32 = 1000

  private let contents = PlainLock(Contents())
  private let bell: Descriptor
  private let timer: BootTimer

  init() throws(FileError) {
    let number = clinux_eventfd()
    guard number != -1 else { throw FileError("make", path: "an eventfd", errno: errno) }
    bell = Descriptor(taking: number)
    timer = try BootTimer()
  }

  var isCurrent: Bool {
    contents.withLock { contents in contents.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  func set(_ executors: Executors) { contents.withLock { $0.executors = executors } }

  /// Changes what the thread waits for. It is woken only if it sleeps.
  func update(_ change: (inout Contents) -> Void) {
    let sleeps = contents.withLock { contents in
      change(&contents)
      defer { contents.isPolling = false }
      return contents.isPolling
    }
    if sleeps { ring() }
  }

  /// Whether the urgent source has spoken since this was last asked.
  func takeUrgent() -> Bool {
    contents.withLock { contents in
      defer { contents.isUrgent = false }
      return contents.isUrgent
    }
  }

  func stop() { update { $0.isStopped = true } }

  /// The thread's whole life.
  func run() {
    contents.withLock { $0.thread = pthread_self() }
    while true {
      // What a job leaves to the next one comes before what is polled for, but not for ever.
      var rounds = 0
      while rounds < Self.mostRounds, runJobs() { rounds += 1 }
      guard wait() else { return }
    }
  }

  /// Runs the jobs that are there; false if there were none.
  private func runJobs() -> Bool {
    let (jobs, executors) = contents.withLock { contents in
      contents.executors == nil ? ([], nil) : (exchange(&contents.jobs, with: []), contents.executors)
    }
    guard !jobs.isEmpty, let executors else { return false }
    for work in jobs {
      if work.isTask {
        unsafe work.job.runSynchronously(on: executors.tasks)
      } else {
        unsafe work.job.runSynchronously(on: executors.actors)
      }
    }
    return true
  }

  /// Sleeps until there is something to do, and calls the handler if it is the handler's; false when it is all over.
  private func wait() -> Bool {
    var sources = [pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0)]
    var timeout: Int32 = -1
    let goesOn = contents.withLock { contents in
      if contents.isStopped && contents.jobs.isEmpty { return false }
      if let source = contents.source { sources.append(pollfd(fd: source, events: Int16(POLLIN), revents: 0)) }
      if let source = contents.urgentSource { sources.append(pollfd(fd: source, events: Int16(POLLPRI), revents: 0)) }
      if contents.wasAsked || !contents.jobs.isEmpty {
        timeout = 0
      } else if let alarm = contents.alarm {
        timeout = Self.milliseconds(until: alarm)
        if timeout > Self.longestTimeout {
          timer.set(after: .milliseconds(timeout))
          sources.append(pollfd(fd: timer.descriptor, events: Int16(POLLIN), revents: 0))
          timeout = -1
        }
      }
      contents.isPolling = true
      return true
    }
    guard goesOn else { return false }
    let ready = unsafe Glibc.poll(&sources, nfds_t(sources.count), timeout)
    // An error (ENOMEM) is as good as a time-out: what is due is looked at, and the loop comes round.
    if ready > 0, sources[0].revents != 0 { silence() }
    let sourceIsReady =
      ready > 0 && sources.dropFirst().contains { $0.revents != 0 && $0.fd != timer.descriptor }
    let handler = contents.withLock { contents -> (@Sendable () -> Void)? in
      contents.isPolling = false
      if sources.contains(where: { $0.events == Int16(POLLPRI) && $0.revents != 0 }) { contents.isUrgent = true }
      let rings = contents.alarm.map { $0 <= .now } ?? false
      if rings { contents.alarm = nil }
      defer { contents.wasAsked = false }
      return rings || contents.wasAsked || sourceIsReady ? contents.handler : nil
    }
    handler?()
    return true
  }

  /// Rounded up, so that the thread never wakes just before the moment and spins.
  private static func milliseconds(until moment: ContinuousClock.Instant) -> Int32 {
    let left = ContinuousClock.now.duration(to: moment).components
    guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
    guard left.seconds < 86_400 else { return 86_400_000 }
    return Int32(left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  private func ring() {
    var one: UInt64 = 1
    // Fails only when the counter is full, and then the thread is woken anyway.
    _ = unsafe write(bell.number, &one, 8)
  }

  private func silence() {
    var count: UInt64 = 0
    // Fails only when there is nothing to read.
    _ = unsafe read(bell.number, &count, 8)
  }
}
