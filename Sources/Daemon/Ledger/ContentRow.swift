import Jobs
import Messages
import SQLite

/// The rows of `content`: the bytes that were registered.
enum ContentRow {
  private static let names = [
    "spool", "size", "sha256", "storage", "bucket", "backend", "job", "id", "key", "etag", "version",
    "content_type", "uploaded_at", "registered_at",
  ]
  private static let identifying = 6
  /// The last job that has stored them counts: its object is the one that is there.
  private static let insertSQL = SQL(
    """
    INSERT INTO content (\(names.joined(separator: ", "))) VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) \
    ON CONFLICT DO UPDATE SET \(names.dropFirst(identifying).map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
    """)
  private static let selectSQL =
    "SELECT \(names.dropFirst(identifying).joined(separator: ", ")) FROM content "
    + "WHERE \(names.prefix(identifying).map { "\($0) = ?" }.joined(separator: " AND ")) AND registered_at >= ?"

  /// Remembers the bytes of a job that is registered; does nothing without the sum of all its bytes, or without bytes.
  static func write(_ job: Job, at now: Timestamp, into db: Database) throws {
    guard let receipt = job.stored?.receipt, let sum = receipt.sha256.flatMap(Hex.bytes), !sum.isEmpty, receipt.size > 0
    else { return }
    var row = try db.binding(insertSQL)
    row.add(job.ticket.spool)
    row.add(receipt.size)
    row.add(sum)
    row.add(job.ticket.storage)
    row.add(job.ticket.bucket)
    row.add(job.ticket.backend)
    row.add(job.number.rawValue)
    row.add(job.ticket.id.ledgerBytes)
    row.add(receipt.key)
    row.add(receipt.etag)
    row.add(receipt.version)
    row.add(receipt.contentType)
    row.add(receipt.uploadedAt.microseconds)
    row.add(now.microseconds)
    try row.run()
  }

  /// Returns what is remembered of some bytes, if they were registered since a time.
  static func first(
    _ spool: String, _ route: Route, size: Int64, sha256: String, since: Timestamp, in db: Database
  ) throws -> EarlierContent? {
    guard let sum = Hex.bytes(sha256) else { return nil }
    let place: [(any Bindable)?] = [spool, size, sum, route.storage, route.bucket, route.backend, since.microseconds]
    return try db.first(selectSQL, place) { row in
      var reader = ColumnReader(row: row)
      let job = JobNumber(rawValue: reader.next())
      let id = try reader.nextID()
      let key: String = reader.next()
      let (etag, version): (String?, String?) = (reader.optional(), reader.optional())
      let contentType: String = reader.next()
      return EarlierContent(
        job: job, id: id,
        receipt: UploadReceipt(
          bucket: route.bucket, key: key, size: size, etag: etag, version: version, sha256: sha256, checksum: nil,
          contentType: contentType, uploadedAt: reader.nextTime()))
    }
  }

  /// Forgets up to `limit` rows of a spool that are older than a time, the oldest first.
  ///
  /// - Returns: the number of them.
  static func forget(_ spool: String, before time: Timestamp, atMost limit: Int, in db: Database) throws -> Int {
    let before = db.totalChanges
    try db.execute(
      """
      DELETE FROM content WHERE (\(names.prefix(identifying).joined(separator: ", "))) IN (
        SELECT \(names.prefix(identifying).joined(separator: ", ")) FROM content
        WHERE spool = ? AND registered_at < ? ORDER BY registered_at LIMIT ?)
      """, [spool, time.microseconds, limit])
    return db.totalChanges - before
  }

  /// Returns the time before which rows of a spool are too many; nil if there are no more than `most`.
  static func bound(_ spool: String, most: Int, in db: Database) throws -> Timestamp? {
    let at: Int64? = try db.value(
      "SELECT registered_at FROM content WHERE spool = ? ORDER BY registered_at DESC LIMIT 1 OFFSET ?", [spool, most])
    return at.map { Timestamp(microseconds: $0 +| 1) }
  }

  /// The spools of which there are rows.
  static func spools(in db: Database) throws -> [String] {
    try db.distinct("SELECT spool FROM content WHERE spool > ? ORDER BY spool LIMIT 1")
  }
}

extension LedgerBatch {
  /// Remembers the bytes of a job that was registered by this change, for the files that come later.
  mutating func remember(_ job: Job) throws {
    if job.state == .registered { try ContentRow.write(job, at: clock.now(), into: db) }
  }
}
