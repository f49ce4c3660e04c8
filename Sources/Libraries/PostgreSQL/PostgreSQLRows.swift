import CPostgres

/// The rows that a statement returned. They are copies, and outlive the connection.
public struct PostgreSQLRows: Sendable {
  /// The rows, in order; a nil value is NULL.
  public let rows: [PostgreSQLRow]
  /// The number of rows that the statement changed.
  public let changed: Int

  init(_ result: OpaquePointer) {
    let (count, columns) = unsafe (PQntuples(result), PQnfields(result))
    rows = (0..<count).map { row in
      PostgreSQLRow(
        values: (0..<columns).map { column in
          guard unsafe PQgetisnull(result, row, column) == 0, let text = unsafe PQgetvalue(result, row, column) else {
            return nil
          }
          let length = Int(unsafe PQgetlength(result, row, column))
          return unsafe text.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
            unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
          }
        })
    }
    changed = unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
  }

  /// The first row.
  public var first: PostgreSQLRow? { rows.first }
}

/// One row, with its values as the server writes them.
public struct PostgreSQLRow: Sendable, Hashable {
  /// The values in the order of the columns.
  let values: [String?]

  /// The text of a column; nil for NULL.
  public subscript(column: Int) -> String? { values[column] }

  /// The text of a column that is never NULL.
  public func text(_ column: Int) -> String { values[column] ?? "" }

  /// A column as a number; nil for NULL, and for anything that is not a number.
  public func number(_ column: Int) -> Int64? { values[column].flatMap { Int64($0) } }

  /// True if a column is a true boolean.
  public func flag(_ column: Int) -> Bool { values[column] == "t" }
}
