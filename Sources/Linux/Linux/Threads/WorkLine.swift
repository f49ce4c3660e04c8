import Dispatch
import Messages
import Seams

/// Runs blocking work outside of the cooperative pool: one piece after the other, in order.
public final class WorkLine: Sendable {
  private enum Backing {
    case queue(DispatchQueue)
    case world(any World, WorldLine)
  }

  private let place: Backing

  /// Creates an empty line; `label` names its Dispatch queue. `isUrgent` is true if somebody waits for each piece.
  public init(_ label: String, on machine: Machine, isUrgent: Bool = false) {
    if let world = machine.world {
      place = .world(world, world.makeLine(label))
    } else {
      place = .queue(DispatchQueue(label: label, qos: isUrgent ? .userInitiated : .unspecified))
    }
  }

  /// Runs a body when its turn comes.
  public func add(_ body: @escaping @Sendable () -> Void) {
    switch place {
    case .queue(let queue): queue.async(execute: body)
    case .world(let world, let line): world.run(in: line, body)
    }
  }

  /// Runs a body when its turn comes, after a pause.
  public func add(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
    switch place {
    case .queue(let queue):
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds)), execute: body)
    case .world(let world, let line): _ = world.run(in: line, after: pause, body)
    }
  }

  /// Runs a body after everything that is queued before it, and returns when it is done. Not for calls from within the line.
  public func runAndWait(_ body: () -> Void) {
    switch place {
    case .queue(let queue): queue.sync(execute: body)
    case .world(let world, let line):
      world.drain(line)
      body()
    }
  }
}
