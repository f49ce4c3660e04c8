import Jobs
import SQLite

/// The rows of `member`: the files of groups.
enum MemberRow {
  private static let names: [String] =
    ["path"] + IdentityColumns.names() + ["may_be_stale", "content_type"] + ObjectColumns.names()
    + MultipartColumns.names

  private static let list = "SELECT \(names.joined(separator: ", ")) FROM member"

  /// Lists files. One that is listed already and has not changed keeps what is known of it. One that has changed is to be sent
  /// again, and what was stored of it does not count.
  private static let listSQL = """
    INSERT INTO member (job, \((["path"] + IdentityColumns.names()).joined(separator: ", ")), may_be_stale)
    VALUES (?, ?, ?, ?, ?, ?, ?, 0)
    ON CONFLICT (job, path) DO UPDATE SET
      device = excluded.device, inode = excluded.inode, size = excluded.size, modified_ns = excluded.modified_ns,
      changed_ns = excluded.changed_ns, may_be_stale = 1, uploaded_at = NULL
    WHERE inode <> excluded.inode OR size <> excluded.size OR modified_ns <> excluded.modified_ns
    """

  static func list(_ path: FileName, _ identity: FileIdentity, of job: JobNumber, into db: Database) throws {
    var row = try db.binding(listSQL)
    row.add(job.rawValue)
    row.add(path.bytes)
    IdentityColumns.write(identity, to: &row)
    try row.run()
  }

  private static let storeSQL = SQL(
    """
    UPDATE member SET may_be_stale = 0, upload_id = NULL, part_size = NULL, checksum = NULL, content_type = ?, \
    \(ObjectColumns.names().map { "\($0) = ?" }.joined(separator: ", ")) WHERE job = ? AND path = ?
    """)

  static func store(_ receipt: UploadReceipt, of path: FileName, _ job: JobNumber, in db: Database) throws {
    var row = try db.binding(storeSQL)
    row.add(receipt.contentType)
    ObjectColumns.write(receipt, to: &row)
    row.add(job.rawValue)
    row.add(path.bytes)
    try row.run()
  }

  private static let beginSQL = SQL(
    """
    UPDATE member SET \(MultipartColumns.names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE job = ? AND path = ?
    """)

  static func begin(_ upload: MultipartUpload, of path: FileName, _ job: JobNumber, in db: Database) throws {
    var row = try db.binding(beginSQL)
    MultipartColumns.write(upload, to: &row)
    row.add(job.rawValue)
    row.add(path.bytes)
    try row.run()
  }

  /// Forgets what was stored of a file: it was deleted at the storage.
  static func unstore(_ path: FileName, _ job: JobNumber, in db: Database) throws {
    try db.execute(
      "UPDATE member SET uploaded_at = NULL, upload_id = NULL WHERE job = ? AND path = ?", [job.rawValue, path.bytes])
  }

  /// Forgets a file that is not stored.
  static func forget(_ path: FileName, _ job: JobNumber, in db: Database) throws {
    try db.execute(
      "DELETE FROM member WHERE job = ? AND path = ? AND uploaded_at IS NULL", [job.rawValue, path.bytes])
  }

  /// Reads the files after a path, in the order of their paths.
  static func page(
    of job: JobNumber, after path: FileName?, unstored: Bool, limit: Int, in db: Database
  ) throws -> [GroupMember] {
    try db.all(
      "\(list) WHERE job = ? AND path > ? \(unstored ? "AND uploaded_at IS NULL " : "")ORDER BY path LIMIT ?",
      [job.rawValue, path?.bytes ?? [], limit], member)
  }

  /// Reads these files, as far as they are listed.
  static func members(_ paths: [FileName], of job: JobNumber, in db: Database) throws -> [FileName: GroupMember] {
    var found: [FileName: GroupMember] = [:]
    for path in paths {
      found[path] = try db.first("\(list) WHERE job = ? AND path = ?", [job.rawValue, path.bytes], member)
    }
    return found
  }

  static func progress(of job: JobNumber, in db: Database) throws -> GroupProgress {
    try db.first("SELECT count(*), count(uploaded_at) FROM member WHERE job = ?", [job.rawValue]) { row in
      GroupProgress(files: row[0], stored: row[1])
    } ?? GroupProgress(files: 0, stored: 0)
  }

  private static func member(_ row: Row) throws -> GroupMember {
    var reader = ColumnReader(row: row)
    let path: [UInt8] = reader.next()
    var member = GroupMember(path: FileName(bytes: path), identity: IdentityColumns.read(from: &reader))
    member.mayBeStale = reader.next()
    let contentType: String? = reader.optional()
    member.receipt = try ObjectColumns.read(
      bucket: "", key: "", size: member.identity.size, contentType: contentType ?? "", from: &reader)
    member.multipart = MultipartColumns.read(from: &reader)
    return member
  }
}
