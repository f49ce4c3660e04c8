import GRDB
import StatementValues
import Testing

/// Values that go to SQLite from where they lie.
@Suite struct WriteStatementTests {
  private let database: DatabaseQueue

  init() throws {
    database = try DatabaseQueue()
    try database.write { db in
      try db.execute(sql: "CREATE TABLE row (number INTEGER UNIQUE, flag INTEGER, text TEXT, bytes BLOB) STRICT")
    }
  }

  private func insert(_ number: Int, _ flag: Bool?, _ text: String?, _ bytes: [UInt8]?) throws {
    try database.write { db in
      var row = try WriteStatement("INSERT INTO row VALUES (?, ?, ?, ?)", db)
      row.add(number)
      row.add(flag)
      row.add(text)
      row.add(bytes)
      try row.run()
    }
  }

  private struct Stored: Equatable {
    let flag: Bool?
    let text: String?
    let bytes: [UInt8]?
  }

  private func rows() throws -> [Stored] {
    try database.read { db in
      try Row.fetchAll(db, sql: "SELECT flag, text, bytes FROM row ORDER BY number").map { row in
        let bytes: DatabaseValue = row[2]
        let data = [UInt8].fromDatabaseValue(bytes)
        return Stored(flag: row[0], text: row[1], bytes: data)
      }
    }
  }

  @Test func everyKindOfValueIsWhatItWas() throws {
    let long = String(repeating: "ä", count: 100_000)
    let values: [(Bool?, String?, [UInt8]?)] = [
      (nil, nil, nil), (false, "", []), (true, "a", [0]), (nil, "Grüße 😀", nil), (true, "a\nb", [0, 1, 0]),
      (nil, long, [UInt8](repeating: 7, count: 200_000)), (false, "after a long one", [1, 2, 3]),
    ]
    for (number, value) in values.enumerated() { try insert(number, value.0, value.1, value.2) }
    #expect(try rows() == values.map { Stored(flag: $0.0, text: $0.1, bytes: $0.2) })
  }

  @Test func afterAnErrorTheNextOneRunsWithItsOwnValues() throws {
    try insert(1, nil, "first", [1])
    let error = #expect(throws: DatabaseError.self) { try insert(1, true, "the same number", [2]) }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    #expect(error?.message?.contains("row.number") == true)
    try insert(2, nil, nil, nil)
    #expect(
      try rows() == [Stored(flag: nil, text: "first", bytes: [1]), Stored(flag: nil, text: nil, bytes: nil)])
  }

  @Test func oneThatIsMadeWhileAnotherIsCollectedHasItsOwnValues() throws {
    try database.write { db in
      var outer = try WriteStatement("INSERT INTO row VALUES (?, ?, ?, ?)", db)
      outer.add(1)
      outer.add(true)
      outer.add("outer")
      var inner = try WriteStatement("INSERT INTO row (number, text) VALUES (?, ?)", db)
      inner.add(2)
      inner.add("inner")
      try inner.run()
      outer.add([9])
      try outer.run()
    }
    #expect(
      try rows() == [Stored(flag: true, text: "outer", bytes: [9]), Stored(flag: nil, text: "inner", bytes: nil)])
  }
}

extension [UInt8] {
  fileprivate static func fromDatabaseValue(_ value: DatabaseValue) -> [UInt8]? {
    guard case .blob(let data) = value.storage else { return nil }
    return [UInt8](data)
  }
}
