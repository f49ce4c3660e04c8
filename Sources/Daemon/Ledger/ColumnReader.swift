import Jobs
import Messages
import SQLite

/// Reads a row's columns one after the other.
struct ColumnReader {
  let row: Row
  private var index = 0

  init(row: Row) { self.row = row }

  mutating func skip(_ count: Int = 1) { index += count }

  mutating func next<Value: ColumnValue>() -> Value {
    defer { index += 1 }
    return row[index]
  }

  mutating func optional<Value: ColumnValue>() -> Value? {
    defer { index += 1 }
    return row[index]
  }

  /// Reads a number within bounds, so that callers need not handle numbers of damaged rows.
  mutating func next(in bounds: ClosedRange<Int64>) -> Int64 { Self.bound(next(), bounds) }

  mutating func optional(in bounds: ClosedRange<Int64>) -> Int64? { optional().map { Self.bound($0, bounds) } }

  fileprivate static func bound(_ number: Int64, _ bounds: ClosedRange<Int64>) -> Int64 {
    min(max(number, bounds.lowerBound), bounds.upperBound)
  }

  /// Reads a counter, bounded so that it can still grow.
  mutating func nextCount() -> Int { Int(next(in: Bounds.count)) }

  mutating func nextTime() -> Timestamp { Timestamp(stored: next()) }

  mutating func optionalTime() -> Timestamp? { optional().map(Timestamp.init(stored:)) }

  mutating func optionalNumber() -> JobNumber? { optional().map(JobNumber.init(rawValue:)) }

  mutating func optionalMessage() -> Message? { optional().map(Message.init(stored:)) }

  mutating func optionalCaller() -> Caller? {
    let (uid, user): (UInt32?, String?) = (optional(), optional())
    return uid.map { Caller(uid: $0, user: user ?? String($0)) }
  }

  /// The bounds of the numbers in a row.
  enum Bounds {
    static let count: ClosedRange<Int64> = 0...1 << 31
    /// For numbers that are given out one after the other.
    static let number: ClosedRange<Int64> = 0...1 << 52
    static let size: ClosedRange<Int64> = 0 ... .max
    /// For sizes of an upload's parts. Parts of one byte are too small for any file, so the upload begins anew.
    static let partSize: ClosedRange<Int64> = 1...5 << 30
    /// The years 1970 to 9999, in microseconds.
    static let time: ClosedRange<Int64> = 0...253_402_300_799_999_999
  }

  mutating func nextCase<Case: RawRepresentable<String>>() throws -> Case {
    try known(nextOptionalCase(), "a row without a \(Case.self)")
  }

  mutating func nextOptionalCase<Case: RawRepresentable<String>>() throws -> Case? {
    guard let text: String = optional() else { return nil }
    return try known(Case(rawValue: text), "the \(Case.self) \"\(text)\"")
  }

  mutating func nextID() throws -> JobID {
    defer { index += 1 }
    return try known(row.withBytes(index) { JobID(ledgerBytes: $0) }, "an id that has not 16 bytes")
  }

  mutating func nextOptionalID() throws -> JobID? {
    guard !row.isNull(index) else {
      index += 1
      return nil
    }
    return try nextID()
  }
}

/// Returns a value of a row; throws if this program does not know it.
func known<Value>(_ value: Value?, _ words: @autoclosure () -> String) throws(LedgerError) -> Value {
  guard let value else {
    throw LedgerError(.configuration, "the ledger has \(words()), which this program does not know")
  }
  return value
}

extension Timestamp {
  /// The time that a row has, in microseconds since 1970, within bounds.
  init(stored microseconds: Int64) {
    self.init(microseconds: ColumnReader.bound(microseconds, ColumnReader.Bounds.time))
  }
}

extension Binding {
  mutating func add(_ caller: Caller?) {
    add(caller.map { Int64($0.uid) })
    add(caller?.user)
  }
}

extension SQL {
  /// Returns the statement that writes a row of a table.
  static func insertion(into table: String, _ columns: [String], replacing: Bool = false) -> SQL {
    SQL("INSERT \(replacing ? "OR REPLACE " : "")INTO \(table) (\(columns.listed)) VALUES (\(columns.marks))")
  }
}

/// Columns of a table, by their names or as the table declares them (`size INTEGER NOT NULL`), for statements.
extension [String] {
  var names: [String] { map { String($0.prefix { $0 != " " }) } }
  var listed: String { joined(separator: ", ") }
  var marks: String { map { _ in "?" }.listed }
  var assigned: String { map { "\($0) = ?" }.listed }
  var excluded: String { map { "\($0) = excluded.\($0)" }.listed }
}

extension JobID {
  /// The sixteen bytes in network order, as `job.id` keeps them.
  var ledgerBytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - $0 % 8 * 8)) }
  }

  init?(ledgerBytes bytes: Span<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for index in 0..<8 {
      words.high = words.high << 8 | UInt64(bytes[index])
      words.low = words.low << 8 | UInt64(bytes[index + 8])
    }
    self.init(high: words.high, low: words.low)
  }
}

extension Destination {
  init(stored text: String) throws {
    self = try known(Destination(text), "the destination \"\(text)\"")
  }
}

extension Pause.Target {
  /// Reads the target of a pause, or of an event of a pause or a gate.
  init(stored name: String) throws {
    self = try known(Pause.Target(name: name), "a pause of \"\(name)\"")
  }
}
