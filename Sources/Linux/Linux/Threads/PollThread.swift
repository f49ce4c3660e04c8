/// A thread that runs the jobs of a ``PollThreadActor`` and otherwise waits in poll(2): for a descriptor, an alarm, or more jobs. Blocking
/// calls in the actor delay nothing else. The thread ends when the last reference to this object is released.
public final class PollThread: Sendable {
  private let loop: PollLoop

  var executor: LoopThread { loop.thread }

  /// The thread as an executor for tasks that mostly wait for its actor. They share the thread with the actor.
  public var tasks: any TaskExecutor { loop.thread.tasks }

  /// Starts the thread under a name that ps shows. Throws ``FileError`` at the limits of descriptors or threads.
  public init(name: String, on machine: Machine = .system) throws(FileError) {
    loop = try PollLoop(name: name, on: machine)
    try loop.thread.start(round: { [loop] in loop.goRound() }) { [loop] in loop.run() }
  }

  deinit { loop.stop() }

  /// Sets the function that the thread calls after each wake-up by a descriptor, the alarm or ``wake()``.
  public func onWake(_ handler: @escaping @Sendable () -> Void) { loop.update { $0.handler = handler } }

  /// Also wakes when the descriptor is readable; nil for none. The descriptor must stay open until it is replaced, on the thread,
  /// by another or nil.
  public func poll(_ descriptor: Int32?) { loop.update { $0.source = descriptor } }

  /// Also wakes when the descriptor has urgent data (POLLPRI), which ``takeUrgent()`` reports; nil for none.
  public func poll(urgent descriptor: Int32?) { loop.update { $0.urgentSource = descriptor } }

  /// Returns true if the urgent descriptor has reported something since the last call.
  public func takeUrgent() -> Bool { loop.takeUrgent() }

  /// Also wakes at a time; nil for never. An alarm fires only once.
  public func setAlarm(_ moment: ContinuousClock.Instant?) { loop.update { $0.alarm = moment } }

  /// Makes the thread call the handler soon. It may be called from any thread.
  public func wake() { loop.update { $0.wasAsked = true } }
}

/// An actor whose jobs run on a ``PollThread``.
public protocol PollThreadActor: Actor {
  nonisolated var thread: PollThread { get }
}

extension PollThreadActor {
  /// The thread in the form that the runtime requires.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.executor.asUnownedSerialExecutor() }
}
