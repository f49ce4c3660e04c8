/// A thread that runs an actor's jobs and, between them, waits in poll(2): for a descriptor, for an alarm, for more jobs.
///
/// An actor takes it as its executor by conforming to ``PollThreadActor``; blocking calls in it then hold up nobody
/// else. The thread ends when the last reference to this goes.
public final class PollThread: Sendable {
  private let loop: PollLoop

  /// The thread as an executor.
  public var executor: LoopThread { loop.thread }

  /// The thread as a place for tasks that mostly wait for its actor, and for what they wait for besides. They share the thread
  /// with the actor.
  public var tasks: any TaskExecutor { loop.thread.tasks }

  /// Starts the thread under a name that ps shows. Throws ``ThreadError`` at the limits of descriptors or threads.
  public init(name: String, on machine: Machine = .system) throws(ThreadError) {
    loop = try PollLoop(name: name, on: machine)
    try loop.thread.start(round: { [loop] in loop.goRound() }) { [loop] in loop.run() }
  }

  /// The machine that the thread is on.
  public var machine: Machine { loop.thread.machine }

  deinit { loop.stop() }

  /// Sets the function that the thread calls whenever it has woken: for the descriptor, the alarm or ``wake()``.
  public func onWake(_ handler: @escaping @Sendable () -> Void) { loop.update { $0.handler = handler } }

  /// Also wakes when the descriptor can be read; nil for none. It must stay open until it is taken back on the thread.
  public func poll(_ descriptor: Int32?) { loop.update { $0.source = descriptor } }

  /// Also wakes when the descriptor has something urgent to say (POLLPRI), which ``takeUrgent()`` tells; nil for none.
  public func poll(urgent descriptor: Int32?) { loop.update { $0.urgentSource = descriptor } }

  /// Returns true if the urgent descriptor has spoken since the last call.
  public func takeUrgent() -> Bool { loop.takeUrgent() }

  /// Also wakes at a moment; nil for never. An alarm that rang is over.
  public func setAlarm(_ moment: ContinuousClock.Instant?) { loop.update { $0.alarm = moment } }

  /// Has the handler called soon. From any thread.
  public func wake() { loop.update { $0.wasAsked = true } }
}

/// An actor whose jobs run on a ``PollThread``.
public protocol PollThreadActor: Actor {
  /// The thread.
  nonisolated var thread: PollThread { get }
}

extension PollThreadActor {
  /// The thread, as the runtime wants it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.executor.asUnownedSerialExecutor() }
}
