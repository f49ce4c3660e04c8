#if DEBUG || SIMULATION
  import CLinux

  /// The calls on files that are made while a test watches them: how many there are, and which one fails.
  ///
  /// A process gets it by its environment: `WAYBILL_FAILING_CALL=17=EIO` fails the 17th call, `KEY:2=EIO` the second one with
  /// that key, and with a `+` behind it every later one of that name on that file too, with a `*` every later one: as if the process had
  /// died there. `WAYBILL_CALL_TRACE` names a file to
  /// which each call is written: its number, its key, its path. Within a process, ``watch(_:)`` and ``begin()`` are for the calls of
  /// one thread.
  /// SQLite's calls are counted too. Debug builds only.
  @safe public final class FailingCalls: @unchecked Sendable {
    // Several threads may use it: its counts are atomic, and all else is written once.
    private let calls: OpaquePointer
    private let meeting: Meeting?

    private final class Meeting: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Watches without failing anything if `plan` is nil. Returns nil for a plan that cannot be read, or a file that cannot be
    /// written to.
    public init?(plan: String? = nil, trace: String? = nil) {
      guard let calls = unsafe clinux_make_calls(plan, trace) else { return nil }
      unsafe self.calls = calls
      meeting = nil
    }

    /// Has the body done just before the call of a number, on the thread that makes it: what others do in that moment. No call fails.
    public init?(before number: UInt64, _ body: @escaping @Sendable () -> Void) {
      guard let calls = unsafe clinux_make_calls(nil, nil) else { return nil }
      unsafe self.calls = calls
      let meeting = Meeting(body)
      self.meeting = meeting
      unsafe clinux_meet_before(
        calls, number,
        { context in
          guard let context = unsafe context else { return }
          unsafe Unmanaged<Meeting>.fromOpaque(context).takeUnretainedValue().body()
        }, Unmanaged.passUnretained(meeting).toOpaque())
    }

    deinit { unsafe clinux_free_calls(calls) }

    /// The number of calls that were made.
    public var count: UInt64 { unsafe clinux_count_of_calls(calls) }

    /// True if a call has failed by the plan.
    public var hasFailed: Bool { unsafe clinux_call_has_failed(calls) == 1 }

    /// Watches the calls that this thread makes in the body.
    public func watch<Value>(_ body: () throws -> Value) rethrows -> Value {
      let before = unsafe clinux_use_calls(calls)
      defer { _ = unsafe clinux_use_calls(before) }
      return try body()
    }

    /// Watches the calls that this thread makes from now on, until ``end()``. It has to live for as long.
    public func begin() { _ = unsafe clinux_use_calls(calls) }

    /// Ends what was begun on this thread.
    public static func end() { _ = unsafe clinux_use_calls(nil) }
  }
#endif
