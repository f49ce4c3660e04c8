import Dispatch
import Jobs
import Synchronization

/// One time to be woken at, on the steady clock; setting it again replaces the last one. At rest nothing ticks.
final class Alarm: Sendable {
  private struct Setting {
    var due: Timestamp?
    var generation = 0
  }

  private let setting = Mutex(Setting())
  private let queue: DispatchQueue
  private let clock: Clock
  private let ring: @Sendable () -> Void

  init(_ label: String, clock: Clock, ring: @escaping @Sendable () -> Void) {
    queue = DispatchQueue(label: label)
    self.clock = clock
    self.ring = ring
  }

  /// Rings once at this time, or not at all for nil. A time that has passed rings at once.
  func set(_ due: Timestamp?) {
    let generation = setting.withLock { setting -> Int? in
      guard setting.due != due else { return nil }
      setting.due = due
      setting.generation += 1
      return due == nil ? nil : setting.generation
    }
    guard let generation, let due else { return }
    let pause = max(.zero, due - clock.steady())
    queue.asyncAfter(deadline: .now() + .microseconds(Int(pause.microseconds))) { [self] in
      let isCurrent = setting.withLock { setting in
        guard setting.generation == generation else { return false }
        setting.due = nil
        return true
      }
      if isCurrent { ring() }
    }
  }

  /// Rings after a pause, unless it is set already.
  func setIfUnset(after pause: Duration) {
    if setting.withLock({ $0.due == nil }) { set(clock.steady() + pause) }
  }
}
