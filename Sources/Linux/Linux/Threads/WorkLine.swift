import Dispatch
import Messages
import Seams

/// Runs blocking work outside of the cooperative pool: one piece after the other, in order.
public final class WorkLine: Sendable {
  private enum Backing {
    case queue(DispatchQueue)
    case thread(WorkerThreads)
    case world(any World, WorldLine)
  }

  private let place: Backing

  /// Creates an empty line; `label` names its Dispatch queue.
  public init(_ label: String, on machine: Machine) {
    place =
      if let world = machine.world { .world(world, world.makeLine(label)) } else { .queue(DispatchQueue(label: label)) }
  }

  /// Creates an empty line with a thread of this name, for work that somebody waits for: Dispatch would have to start a thread after some
  /// seconds without work. Throws ``FileError`` with EAGAIN at the limit of threads.
  public init(thread name: String, on machine: Machine) throws(FileError) {
    if let world = machine.world {
      place = .world(world, world.makeLine(name))
    } else {
      place = .thread(try WorkerThreads(count: 1, name: name))
    }
  }

  /// Runs a body when its turn comes.
  public func add(_ body: @escaping @Sendable () -> Void) {
    switch place {
    case .queue(let queue): queue.async(execute: body)
    case .thread(let thread): thread.start(body)
    case .world(let world, let line): world.run(in: line, body)
    }
  }

  /// Runs a body when its turn comes, after a pause.
  public func add(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
    let time = DispatchTime.now() + .nanoseconds(Int(pause.nanoseconds))
    switch place {
    case .queue(let queue): queue.asyncAfter(deadline: time, execute: body)
    case .thread(let thread): DispatchQueue.global().asyncAfter(deadline: time) { thread.start(body) }
    case .world(let world, let line): _ = world.run(in: line, after: pause, body)
    }
  }

  /// Runs a body after everything that is queued before it, and returns when it is done. Not for calls from within the line.
  public func runAndWait(_ body: @escaping @Sendable () -> Void) {
    let done = SteadySemaphore()
    add {
      body()
      done.signal()
    }
    if case .world(let world, let line) = place { world.drain(line) }
    done.wait()
  }
}
