import CSQLite
import ChildProcesses
import SQLite
import Testing

@Suite struct SQLiteTests {
  private let database: Database

  init() throws {
    database = try Database(path: ":memory:")
    try database.execute("CREATE TABLE row (number INTEGER UNIQUE, flag INTEGER, text TEXT, bytes BLOB) STRICT")
  }

  private func insert(_ number: Int, _ flag: Bool?, _ text: String?, _ bytes: [UInt8]?) throws {
    var row = try database.binding(SQL("INSERT INTO row VALUES (?, ?, ?, ?)"))
    row.add(number)
    row.add(flag)
    row.add(text)
    row.add(bytes)
    try row.run()
  }

  private struct Stored: Equatable {
    let flag: Bool?
    let text: String?
    let bytes: [UInt8]?
  }

  private func rows() throws -> [Stored] {
    try database.all("SELECT flag, text, bytes FROM row ORDER BY number") { row in
      Stored(flag: row[0], text: row[1], bytes: row[2])
    }
  }

  private static let values: [(Bool?, String?, [UInt8]?)] = [
    (nil, nil, nil), (false, "", []), (true, "a", [0]), (nil, "Grüße 😀", nil), (true, "a\nb\0c", [0, 1, 0]),
    (nil, String(repeating: "ä", count: 100_000), [UInt8](repeating: 7, count: 200_000)),
    (false, "after a long one", [1, 2, 3]),
  ]

  @Test func everyValueKindRoundTrips() throws {
    for (number, value) in Self.values.enumerated() { try insert(number, value.0, value.1, value.2) }
    #expect(try rows() == Self.values.map { Stored(flag: $0.0, text: $0.1, bytes: $0.2) })
  }

  @Test func findsRowsByEveryValueKind() throws {
    for (number, value) in Self.values.enumerated() {
      try database.execute("INSERT INTO row VALUES (?, ?, ?, ?)", [number, value.0, value.1, value.2])
      let found: Int? = try database.value(
        "SELECT number FROM row WHERE flag IS ? AND text IS ? AND bytes IS ?", [value.0, value.1, value.2])
      #expect(found == number)
    }
  }

  @Test func statementRunsCleanAfterError() throws {
    try insert(1, nil, "first", [1])
    let error = #expect(throws: SQLiteError.self) { try insert(1, true, "the same number", [2]) }
    #expect(error?.primaryCode == SQLITE_CONSTRAINT)
    #expect(error?.message.contains("row.number") == true)
    try insert(2, nil, nil, nil)
    #expect(
      try rows() == [Stored(flag: nil, text: "first", bytes: [1]), Stored(flag: nil, text: nil, bytes: nil)])
  }

  @Test func nestedBindingsKeepOwnValues() throws {
    var outer = try database.binding(SQL("INSERT INTO row VALUES (?, ?, ?, ?)"))
    outer.add(1)
    outer.add(true)
    outer.add("outer")
    var inner = try database.binding(SQL("INSERT INTO row (number, text) VALUES (?, ?)"))
    inner.add(2)
    inner.add("inner")
    try inner.run()
    outer.add([9])
    try outer.run()
    #expect(
      try rows() == [Stored(flag: true, text: "outer", bytes: [9]), Stored(flag: nil, text: "inner", bytes: nil)])
  }

  @Test func sameQueryMayRunNested() throws {
    for number in 1...3 { try insert(number, nil, nil, nil) }
    let all = "SELECT number FROM row ORDER BY number"
    var pairs: [[Int]] = []
    var outer = try database.rows(all)
    while let row = try outer.next() {
      let number: Int = row[0]
      pairs += try database.all(all) { [number, $0[0]] }
    }
    #expect(pairs == (1...3).flatMap { a in (1...3).map { b in [a, b] } })
  }

  @Test func abandonedRowsHoldNoLock() throws {
    for number in 1...3 { try insert(number, nil, nil, nil) }
    let first: Int? = try database.value("SELECT number FROM row ORDER BY number")
    #expect(first == 1)
    try database.execute("DROP TABLE row")  // SQLITE_LOCKED while a statement reads
  }

  @Test func statementsBeyondCacheStayCorrect() throws {
    let database = try Database(path: ":memory:", keeping: 3)
    for number in 0..<20 {
      let value: Int? = try database.value("SELECT ? + \(number)", [1])
      #expect(value == number + 1)
    }
  }

  private struct Stop: Error {}

  @Test func failedTransactionRollsBack() throws {
    try insert(1, nil, "before", nil)
    #expect(throws: Stop.self) {
      try database.transaction(.immediate) {
        try insert(2, nil, "within", nil)
        throw Stop()
      }
    }
    #expect(throws: SQLiteError.self) {
      try database.transaction(.immediate) {
        try insert(3, nil, "within", nil)
        try insert(1, nil, "taken", nil)
      }
    }
    try database.transaction(.immediate) { try insert(4, nil, "after", nil) }
    #expect(try rows().map(\.text) == ["before", "after"])
  }

  @Test func readersSeeCommitsAndTakeTurns() async throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path + "/a", readers: 2) { db in
      try db.execute("CREATE TABLE number (value INTEGER) STRICT")
    }
    for value in 1...50 {
      try pool.write { db in try db.execute("INSERT INTO number VALUES (?)", [value]) }
      let seen = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { try await pool.read { try $0.value("SELECT max(value) FROM number") ?? 0 } } }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(seen == Array(repeating: value, count: 8))
    }
    await #expect(throws: SQLiteError.self) { try await pool.read { try $0.execute("DELETE FROM number") } }
    pool.close()
    await #expect(throws: SQLiteError.self) { try await pool.read { try $0.value("SELECT 1") as Int? } }
  }

  /// SQLite reads through the pointer that it is given; without one that ended the daemon (SIGSEGV) where memory was given back after the
  /// ledger had closed.
  @Test func closedConnectionRefusesAllCalls() async throws {
    await #expect(processExitsWith: .success) {
      let database = try Database(path: ":memory:")
      database.close()
      database.close()
      database.releaseMemory()
      #expect(database.totalChanges == 0)
      let calls: [(Database) throws -> Void] = [
        { try $0.execute("SELECT 1") }, { try $0.execute(script: "SELECT 1") }, { _ = try $0.rows("SELECT 1") },
        { _ = try $0.binding(SQL("SELECT 1")) }, { try $0.transaction(.deferred) {} }, { try $0.emptyWriteAheadLog() },
        { _ = try $0.copyWriteAheadLog() }, { try $0.keepWriteAheadLog() },
      ]
      for call in calls {
        let error = #expect(throws: SQLiteError.self) { try call(database) }
        #expect(error?.message == "the database is closed")
      }
    }
  }
}
