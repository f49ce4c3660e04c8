import SQLite

/// A step from one form of the ledger to the next. The first one makes the tables.
///
/// The names of those that a ledger has been through are in its table `migration`, so that an older program sees that a ledger
/// is too new for it.
struct SchemaMigration: Sendable {
  let name: String
  let run: @Sendable (Database) throws -> Void

  /// Returns the names of the migrations that a ledger has been through; none for an empty database.
  static func applied(to db: Database) throws -> Set<String> {
    guard try db.hasTable("migration") else { return [] }
    return Set(try db.column("SELECT name FROM migration") as [String])
  }

  /// Makes the missing steps, each in a transaction of its own.
  static func run(_ migrations: [SchemaMigration], on db: Database) throws {
    let applied = try applied(to: db)
    for migration in migrations where !applied.contains(migration.name) {
      try db.transaction(.immediate) {
        try db.execute("CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY) STRICT")
        try migration.run(db)
        try db.execute("INSERT INTO migration (name) VALUES (?)", [migration.name])
      }
    }
  }
}
