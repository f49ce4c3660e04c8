import Dispatch
import Messages
import Seams
import Synchronization

/// Calls a function once at a set time, in microseconds of the machine's steady clock; setting another time replaces the first.
public final class Alarm: Sendable {
  private enum Timer {
    case system(BootTimer, any DispatchSourceRead)
    case world(any World, WorldLine, WorldTimer?)
  }

  private struct Setting {
    var timer: Timer?
    var due: Int64?
  }

  private let setting = Mutex(Setting())
  private let machine: Machine
  private let ring: @Sendable () -> Void

  /// Creates an alarm that is not set; `label` names its Dispatch queue. Throws EMFILE or ENFILE at the limits of descriptors.
  public init(_ label: String, on machine: Machine, ring: @escaping @Sendable () -> Void) throws(FileError) {
    self.machine = machine
    self.ring = ring
    if let world = machine.world {
      setting.withLock { $0.timer = .world(world, world.makeLine(label), nil) }
      return
    }
    let timer = try BootTimer()
    setting.withLock { setting in
      let queue = DispatchQueue(label: label)
      let source = DispatchSource.makeReadSource(fileDescriptor: timer.descriptor, queue: queue)
      source.setEventHandler { [weak self] in if self?.hasRung() == true { ring() } }
      // The descriptor must stay open until Dispatch has stopped watching it.
      source.setCancelHandler { withExtendedLifetime(timer) {} }
      source.activate()
      setting.timer = .system(timer, source)
    }
  }

  deinit {
    setting.withLock { setting in
      switch setting.timer {
      case .system(_, let source): source.cancel()
      case .world(let world, _, let timer): if let timer { world.stop(timer) }
      case nil: break
      }
    }
  }

  /// Sets the time of the next call, or none for nil. If the time has passed, the call comes at once.
  public func set(_ due: Int64?) {
    setting.withLock { setting in
      guard setting.due != due else { return }
      setting.due = due
      let pause = due.map { Duration.microseconds(max(0, $0 -| machine.steady())) }
      switch setting.timer {
      case .system(let timer, _): timer.set(after: pause)
      case .world(let world, let line, let timer):
        if let timer { world.stop(timer) }
        let next = pause.map { pause in
          world.run(in: line, after: pause) { [weak self] in self?.rang(due) }
        }
        setting.timer = .world(world, line, next)
      case nil: break
      }
    }
  }

  /// Sets the alarm to a time after a pause, unless it is set already.
  public func setIfUnset(after pause: Duration) {
    guard setting.withLock({ $0.due == nil }) else { return }
    set(machine.steady() +| pause.nanoseconds / 1000)
  }

  /// Returns true if the time has come, and false if the alarm was set again meanwhile.
  private func hasRung() -> Bool {
    setting.withLock { setting in
      guard case .system(let timer, _) = setting.timer, timer.hasRung() else { return false }
      setting.due = nil
      return true
    }
  }

  /// The same in a simulation: the timer has fired, but the alarm may have been set again meanwhile.
  private func rang(_ due: Int64?) {
    let isDue = setting.withLock { setting in
      guard setting.due == due else { return false }
      setting.due = nil
      return true
    }
    if isDue { ring() }
  }
}
