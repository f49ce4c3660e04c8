import Jobs
import Messages
import SQLite

/// The rows of `content`: the bytes that were registered.
enum ContentRow {
  private static let names = [
    "spool", "size", "sha256", "job", "id", "name", "storage", "bucket", "key", "etag", "version", "content_type",
    "link",
    "uploaded_at", "registered_at",
  ]
  /// The first stays while it is good: a later job with the same bytes was sent all the same, or has the link of the first. If a job
  /// with `duplicates = "link"` had to store its own object, that of the first was not there any more; and what is too old is not
  /// remembered any more.
  private static let insertSQL = SQL(
    """
    INSERT INTO content (\(names.joined(separator: ", "))) VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) \
    ON CONFLICT DO UPDATE SET \(names.dropFirst(3).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")) \
    WHERE registered_at < ? OR ?
    """)
  private static let selectSQL =
    "SELECT \(names.dropFirst(3).joined(separator: ", ")) FROM content "
    + "WHERE spool = ? AND size = ? AND sha256 = ? AND registered_at >= ?"

  /// Remembers the bytes of a job that is registered; does nothing without the sum of all its bytes, or without bytes.
  ///
  /// - Parameters:
  ///   - oldest: the time since which bytes are remembered.
  ///   - replaces: true if a job that has an object of its own takes the place of an earlier one.
  static func write(
    _ job: Job, at now: Timestamp, oldest: Timestamp, replaces: Bool, into db: Database
  ) throws {
    guard let link = job.stored, let receipt = link.receipt, let sum = receipt.sha256.flatMap(Hex.bytes), !sum.isEmpty,
      receipt.size > 0
    else { return }
    var row = try db.binding(insertSQL)
    row.add(job.ticket.spool)
    row.add(receipt.size)
    row.add(sum)
    row.add(job.number.rawValue)
    row.add(job.ticket.id.ledgerBytes)
    row.add(job.ticket.name.bytes)
    row.add(job.ticket.storage)
    row.add(receipt.bucket)
    row.add(receipt.key)
    row.add(receipt.etag)
    row.add(receipt.version)
    row.add(receipt.contentType)
    row.add(link.link)
    row.add(receipt.uploadedAt.microseconds)
    row.add(now.microseconds)
    row.add(oldest.microseconds)
    row.add(replaces && receipt.bucket == job.ticket.bucket && receipt.key == job.ticket.key)
    try row.run()
  }

  /// Returns what is remembered of some bytes, if they were registered since a time.
  static func first(
    _ spool: String, size: Int64, sha256: String, since: Timestamp, in db: Database
  ) throws -> EarlierContent? {
    guard let sum = Hex.bytes(sha256) else { return nil }
    return try db.first(selectSQL, [spool, size, sum, since.microseconds]) { row in
      var reader = ColumnReader(row: row)
      let job = JobNumber(rawValue: reader.next())
      let id = try reader.nextID()
      let name: [UInt8] = reader.next()
      let storage: String = reader.next()
      let (bucket, key): (String, String) = (reader.next(), reader.next())
      let (etag, version): (String?, String?) = (reader.optional(), reader.optional())
      let (contentType, link): (String, String) = (reader.next(), reader.next())
      let uploadedAt = reader.nextTime()
      return EarlierContent(
        job: job, id: id, name: FileName(bytes: name), storage: storage, link: link,
        receipt: UploadReceipt(
          bucket: bucket, key: key, size: size, etag: etag, version: version, sha256: sha256, checksum: nil,
          contentType: contentType, uploadedAt: uploadedAt),
        registeredAt: reader.nextTime())
    }
  }

  /// Forgets up to `limit` rows of a spool that are older than a time, the oldest first.
  ///
  /// - Returns: the number of them.
  static func forget(_ spool: String, before time: Timestamp, atMost limit: Int, in db: Database) throws -> Int {
    let before = db.totalChanges
    try db.execute(
      """
      DELETE FROM content WHERE (spool, size, sha256) IN (
        SELECT spool, size, sha256 FROM content WHERE spool = ? AND registered_at < ? ORDER BY registered_at LIMIT ?)
      """, [spool, time.microseconds, limit])
    return db.totalChanges - before
  }

  /// Returns the time before which rows of a spool are too many; nil if there are no more than `most`.
  static func bound(_ spool: String, most: Int, in db: Database) throws -> Timestamp? {
    let at: Int64? = try db.value(
      "SELECT registered_at FROM content WHERE spool = ? ORDER BY registered_at DESC LIMIT 1 OFFSET ?", [spool, most])
    return at.map { Timestamp(microseconds: $0 +| 1) }
  }

  /// The spools of which there are rows. It goes from spool to spool in the index.
  static func spools(in db: Database) throws -> [String] {
    var spools: [String] = []
    while let spool: String = try db.value(
      "SELECT spool FROM content WHERE spool > ? ORDER BY spool LIMIT 1", [spools.last ?? ""])
    {
      spools.append(spool)
    }
    return spools
  }
}

extension LedgerBatch {
  /// Remembers the bytes of a job that was registered by this change, for the files that come later.
  mutating func remember(_ job: Job, _ memory: ContentMemory) throws {
    guard job.state == .registered else { return }
    let now = clock.now()
    try ContentRow.write(
      job, at: now, oldest: now + (.zero - memory.within), replaces: memory.replaces, into: db)
  }
}

/// The way in which a spool remembers the bytes of registered files.
public struct ContentMemory: Hashable, Sendable {
  /// The time for which they are remembered.
  public var within: Duration
  /// True if the object of a later job takes the place of an earlier one: it was stored because that was gone.
  public var replaces: Bool

  /// Creates the way of a spool.
  public init(within: Duration, replaces: Bool) {
    self.within = within
    self.replaces = replaces
  }
}
