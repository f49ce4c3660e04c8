import Dispatch
import Synchronization

/// One time at which a function is called; setting it again replaces the last one. At rest nothing ticks.
///
/// Times are microseconds on a clock of the caller's that never jumps.
public final class Alarm: Sendable {
  private struct Setting {
    let timer: BootTimer
    var due: Int64?
    var source: (any DispatchSourceRead)?
  }

  private let setting: Mutex<Setting>
  private let now: @Sendable () -> Int64

  /// Makes an alarm that is not set.
  ///
  /// - Parameters:
  ///   - label: the name of its Dispatch queue, which calls `ring`.
  ///   - now: the clock.
  /// - Throws: ``ThreadError`` with EMFILE or ENFILE at the limits of descriptors.
  public init(
    _ label: String, now: @escaping @Sendable () -> Int64, ring: @escaping @Sendable () -> Void
  ) throws(ThreadError) {
    let timer = try BootTimer()
    self.now = now
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
  public func set(_ due: Int64?) {
    setting.withLock { setting in
      guard setting.due != due else { return }
      setting.due = due
      setting.timer.set(after: due.map { .microseconds(max(0, $0 - now())) })
    }
  }

  /// Rings after a pause, unless it is set already.
  public func setIfUnset(after pause: Duration) {
    guard setting.withLock({ $0.due == nil }) else { return }
    let (seconds, attoseconds) = pause.components
    set(now() + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }

  /// Returns true if the time has come, and false if the alarm was set anew meanwhile.
  private func hasRung() -> Bool {
    setting.withLock { setting in
      guard setting.timer.hasRung() else { return false }
      setting.due = nil
      return true
    }
  }
}
