#if DEBUG || SIMULATION
  import CSeams

  /// Counts the calls on files that are made while a test watches them, and makes one of them fail.
  ///
  /// The environment gives a process its plan: `WAYBILL_FAILING_CALL=17=EIO` makes the 17th call fail, `KEY:2=EIO` the second one with that
  /// key. With a `+` at the end, every later call of the same name on the same file fails too; with a `*`, every later call, as if the
  /// process had died there. `WAYBILL_CALL_TRACE` names a file that each call is written to, with its number, key and path. Within a
  /// process, ``watch(_:)`` and ``begin()`` apply to the calls of one thread. SQLite's calls are counted too. Debug builds only.
  @safe public final class FailingCalls: @unchecked Sendable {
    // Several threads may use this object: its counts are atomic, and everything else is written once.
    private let calls: OpaquePointer
    private let meeting: Meeting?

    private final class Meeting: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Watches without making any call fail if `plan` is nil. Nil for a plan that cannot be parsed, or a trace that cannot be written.
    public init?(plan: String? = nil, trace: String? = nil) {
      guard let calls = unsafe cseams_make_calls(plan, trace) else { return nil }
      unsafe self.calls = calls
      meeting = nil
    }

    /// Runs the body just before the call with this number, on its thread, to simulate what others do at that moment. No call fails.
    public init?(before number: UInt64, _ body: @escaping @Sendable () -> Void) {
      guard let calls = unsafe cseams_make_calls(nil, nil) else { return nil }
      unsafe self.calls = calls
      let meeting = Meeting(body)
      self.meeting = meeting
      unsafe cseams_meet_before(
        calls, number,
        { context in
          guard let context = unsafe context else { return }
          unsafe Unmanaged<Meeting>.fromOpaque(context).takeUnretainedValue().body()
        }, Unmanaged.passUnretained(meeting).toOpaque())
    }

    deinit { unsafe cseams_free_calls(calls) }

    /// The number of calls that were made.
    public var count: UInt64 { unsafe cseams_count_of_calls(calls) }

    /// True if the plan has made a call fail.
    public var hasFailed: Bool { unsafe cseams_call_has_failed(calls) == 1 }

    /// Watches the calls that this thread makes in the body.
    public func watch<Value>(_ body: () throws -> Value) rethrows -> Value {
      let before = unsafe cseams_use_calls(calls)
      defer { _ = unsafe cseams_use_calls(before) }
      return try body()
    }

    /// Watches the calls that this thread makes from now on. This object must live as long.
    public func begin() { _ = unsafe cseams_use_calls(calls) }
  }
#endif
