import Jobs
import SQLite

/// The rows of `member`: the files of groups.
enum MemberRow {
  private static let names: [String] =
    ["path"] + IdentityColumns.names() + ["may_be_stale", "content_type"] + ObjectColumns.names()
    + MultipartColumns.names

  /// A query to which a condition is added. ``member(_:)`` reads its rows.
  static let select = "SELECT \(names.joined(separator: ", ")) FROM member"

  /// Lists a file. Its parameters are the job, the path and the identity.
  static let list = SQL(
    """
    INSERT INTO member (job, \((["path"] + IdentityColumns.names()).joined(separator: ", ")), may_be_stale)
    VALUES (?, ?, ?, ?, ?, ?, ?, 0)
    ON CONFLICT (job, path) DO UPDATE SET
      device = excluded.device, inode = excluded.inode, size = excluded.size, modified_ns = excluded.modified_ns,
      changed_ns = excluded.changed_ns, may_be_stale = 1, uploaded_at = NULL
    WHERE inode <> excluded.inode OR size <> excluded.size OR modified_ns <> excluded.modified_ns
    """)

  /// Notes the receipt of a file. Its parameters are the content type, the object's columns, the job and the path.
  static let store = SQL(
    """
    UPDATE member SET may_be_stale = 0, upload_id = NULL, part_size = NULL, checksum = NULL, content_type = ?, \
    \(ObjectColumns.names().map { "\($0) = ?" }.joined(separator: ", ")) WHERE job = ? AND path = ?
    """)

  /// Notes the upload in parts of a file. Its parameters are the upload's columns, the job and the path.
  static let begin = SQL(
    """
    UPDATE member SET \(MultipartColumns.names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE job = ? AND path = ?
    """)

  /// Reads a file, if it is listed.
  static func member(_ path: FileName, of job: JobNumber, in db: Database) throws -> GroupMember? {
    try db.first("\(select) WHERE job = ? AND path = ?", [job.rawValue, path.bytes], member)
  }

  /// - Throws: ``LedgerError`` if a row has a value that this program does not know.
  static func member(_ row: Row) throws -> GroupMember {
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
