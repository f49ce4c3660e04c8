import Dispatch
import Jobs
import LinuxFiles
import Synchronization

/// One time to be woken at, on the steady clock; setting it again replaces the last one. At rest nothing ticks.
final class Alarm: Sendable {
  private struct Setting {
    let timer: BootTimer
    var due: Timestamp?
    var source: (any DispatchSourceRead)?
  }

  private let setting: Mutex<Setting>
  private let clock: Clock

  /// Throws EMFILE or ENFILE at the limits of descriptors.
  init(_ label: String, clock: Clock, ring: @escaping @Sendable () -> Void) throws(FileError) {
    let timer = try BootTimer()
    self.clock = clock
    setting = Mutex(Setting(timer: timer))
    setting.withLock { setting in
      let queue = DispatchQueue(label: label)
      let source = DispatchSource.makeReadSource(fileDescriptor: timer.descriptor, queue: queue)
      source.setEventHandler { [weak self] in if self?.hasRung() == true { ring() } }
      // The descriptor stays open until nobody looks at it any more.
      source.setCancelHandler { withExtendedLifetime(timer) {} }
      source.activate()
      setting.source = source
    }
  }

  deinit { setting.withLock { $0.source?.cancel() } }

  /// Rings once at this time, or not at all for nil. A time that has passed rings at once.
  func set(_ due: Timestamp?) {
    setting.withLock { setting in
      guard setting.due != due else { return }
      setting.due = due
      setting.timer.set(after: due.map { max(.zero, $0 - clock.steady()) })
    }
  }

  /// Rings after a pause, unless it is set already.
  func setIfUnset(after pause: Duration) {
    if setting.withLock({ $0.due == nil }) { set(clock.steady() + pause) }
  }

  /// Whether the time has come; one that was set anew meanwhile has not.
  private func hasRung() -> Bool {
    setting.withLock { setting in
      guard setting.timer.hasRung() else { return false }
      setting.due = nil
      return true
    }
  }
}
