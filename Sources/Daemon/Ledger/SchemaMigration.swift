import SQLite

/// A step from one form of the ledger to the next.
///
/// The names of those that a ledger has been through are in its table `grdb_migrations`, where programs since the first version
/// look for them: so an older program sees that a ledger is too new for it.
struct SchemaMigration: Sendable {
  let name: String
  let run: @Sendable (Database) throws -> Void

  /// Returns the names of the migrations that a ledger has been through; none for an empty database.
  static func applied(to db: Database) throws -> Set<String> {
    guard try db.hasTable("grdb_migrations") else { return [] }
    return Set(try db.column("SELECT identifier FROM grdb_migrations") as [String])
  }

  /// Makes the missing steps, each in a transaction of its own.
  static func run(_ migrations: [SchemaMigration], on db: Database) throws {
    try db.execute("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    let applied = try applied(to: db)
    for migration in migrations where !applied.contains(migration.name) {
      try db.transaction(.immediate) {
        try migration.run(db)
        try db.execute("INSERT INTO grdb_migrations (identifier) VALUES (?)", [migration.name])
      }
    }
  }
}
