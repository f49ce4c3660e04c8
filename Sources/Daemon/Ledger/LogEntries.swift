import Jobs

/// A happening that a fact implies, in the log of a commit.
struct LogEntry: Hashable, Sendable {
  /// The kinds; the raw value is what the log has.
  enum Kind: UInt8, Sendable {
    case admitted = 1
    case uploaded = 2
    case registered = 3
    /// An attempt at the upload began. It is no event: it tells the next start that the attempt was cut.
    case beganUpload = 4
    /// An attempt at the registration began.
    case beganRegistration = 5

    /// The event for readers, and the job as it was after it: its step, its state and its revision; nil for the beginning
    /// of an attempt.
    var event: (kind: JobEvent.Kind, step: Step, reached: (step: Step, state: State, revision: Int64))? {
      switch self {
      case .admitted: (.admitted, .upload, (.upload, .queued, 1))
      case .uploaded: (.uploaded, .upload, (.register, .queued, 3))
      case .registered: (.registered, .register, (.register, .registered, 5))
      case .beganUpload, .beganRegistration: nil
      }
    }

    /// True if it is an event for readers.
    var isEvent: Bool { event != nil }

    /// The step of the attempt that began; nil for an event.
    var begunStep: Step? {
      switch self {
      case .admitted, .uploaded, .registered: nil
      case .beganUpload: .upload
      case .beganRegistration: .register
      }
    }

    /// Returns the kind that implies an event; nil if none does.
    static func implying(_ event: JobEvent.Kind) -> Kind? {
      switch event {
      case .admitted: .admitted
      case .uploaded: .uploaded
      case .registered: .registered
      case .deferred, .question, .confirmed, .retried, .cancelled, .aborted, .released, .discarded, .cleaned,
        .objectLeft, .moved:
        nil
      }
    }

    /// The kind of an attempt's beginning.
    static func began(_ step: Step) -> Kind {
      switch step {
      case .upload: .beganUpload
      case .register: .beganRegistration
      }
    }
  }

  let kind: Kind
  let job: JobNumber
  /// The event's sequence; for the beginning of an attempt, its time in microseconds.
  let value: Int64
}

/// The entries of one commit as bytes: for each its kind, then the job's number and the value as differences from the entry
/// before. A number is in groups of seven bits, the lowest first, with the sign in its lowest bit (as Protocol Buffers' sint64,
/// <https://protobuf.dev/programming-guides/encoding/>).
enum LogEntries {
  /// Values of one kind are near each other, those of different kinds are not.
  private struct Before {
    var job: Int64 = 0
    var sequence: Int64 = 0
    var time: Int64 = 0
  }

  /// Returns the entries as bytes.
  ///
  /// - Parameters:
  ///   - sequence: the key of the row, from which the first difference counts.
  ///   - time: the time of the row, in microseconds.
  static func encode(_ entries: [LogEntry], sequence: Int64, time: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count * 5)
    var before = Before(sequence: sequence, time: time)
    for entry in entries {
      bytes.append(entry.kind.rawValue)
      append(entry.job.rawValue &- before.job, to: &bytes)
      before.job = entry.job.rawValue
      if entry.kind.isEvent {
        append(entry.value &- before.sequence, to: &bytes)
        before.sequence = entry.value
      } else {
        append(entry.value &- before.time, to: &bytes)
        before.time = entry.value
      }
    }
    return bytes
  }

  /// Returns the entries in their order.
  ///
  /// - Throws: ``LedgerError`` for bytes that are no entries.
  static func decode(_ bytes: [UInt8], sequence: Int64, time: Int64) throws(LedgerError) -> [LogEntry] {
    var entries: [LogEntry] = []
    var rest = bytes[...]
    var before = Before(sequence: sequence, time: time)
    while let first = rest.popFirst() {
      guard let kind = LogEntry.Kind(rawValue: first), let job = number(&rest), let value = number(&rest) else {
        throw LedgerError(.configuration, "the ledger has a log entry at \(sequence) that this program does not know")
      }
      before.job &+= job
      if kind.isEvent { before.sequence &+= value } else { before.time &+= value }
      entries.append(
        LogEntry(
          kind: kind, job: JobNumber(rawValue: before.job), value: kind.isEvent ? before.sequence : before.time))
    }
    return entries
  }

  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
    }
    return nil
  }
}
