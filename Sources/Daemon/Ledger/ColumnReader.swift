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

  mutating func nextTime() -> Timestamp? {
    let microseconds: Int64? = optional()
    return microseconds.map { Timestamp(microseconds: $0) }
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
