import Jobs
import SQLite

/// Reads a row's columns one after the other.
struct ColumnReader {
  let row: Row
  private var index: Int

  /// Begins at a column.
  init(row: Row, at index: Int = 0) {
    self.row = row
    self.index = index
  }

  /// Passes one column over.
  mutating func skip() { index += 1 }

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

  /// The same; nil for null.
  mutating func optional(in bounds: ClosedRange<Int64>) -> Int64? { optional().map { Self.bound($0, bounds) } }

  fileprivate static func bound(_ number: Int64, _ bounds: ClosedRange<Int64>) -> Int64 {
    min(max(number, bounds.lowerBound), bounds.upperBound)
  }

  /// Reads a counter, with room to count on.
  mutating func nextCount() -> Int { Int(next(in: Bounds.count)) }

  mutating func nextTime() -> Timestamp { Timestamp(stored: next()) }

  mutating func optionalTime() -> Timestamp? { optional().map(Timestamp.init(stored:)) }

  /// The bounds of the numbers in rows.
  enum Bounds {
    static let count: ClosedRange<Int64> = 0...1 << 31
    /// For numbers that are given out one after the other.
    static let number: ClosedRange<Int64> = 0...1 << 52
    /// For sizes in bytes.
    static let size: ClosedRange<Int64> = 0 ... .max
    /// For sizes of an upload's parts. Parts of one byte are too small for any file, so the upload begins anew.
    static let partSize: ClosedRange<Int64> = 1...5 << 30
    /// The years 1970 to 9999, in microseconds.
    static let time: ClosedRange<Int64> = 0...253_402_300_799_999_999
  }

  mutating func nextCase<Case: RawRepresentable<String>>() throws -> Case {
    guard let value: Case = try nextOptionalCase() else {
      throw LedgerError(.configuration, "the ledger has a row without a \(Case.self)")
    }
    return value
  }

  mutating func nextOptionalCase<Case: RawRepresentable<String>>() throws -> Case? {
    let text: String? = optional()
    guard let text else { return nil }
    guard let value = Case(rawValue: text) else {
      throw LedgerError(.configuration, "the ledger has the \(Case.self) \"\(text)\", which this program does not know")
    }
    return value
  }

  mutating func nextID() throws -> JobID {
    defer { index += 1 }
    return try row.withBytes(index) { bytes in
      guard let id = JobID(ledgerBytes: bytes) else {
        throw LedgerError(.configuration, "the ledger has an id of \(bytes.count) bytes instead of 16")
      }
      return id
    }
  }

  mutating func nextOptionalID() throws -> JobID? {
    guard !row.isNull(index) else {
      index += 1
      return nil
    }
    return try nextID()
  }
}

extension Timestamp {
  /// The time that a row has, in microseconds since 1970, within bounds.
  init(stored microseconds: Int64) {
    self.init(microseconds: ColumnReader.bound(microseconds, ColumnReader.Bounds.time))
  }
}
