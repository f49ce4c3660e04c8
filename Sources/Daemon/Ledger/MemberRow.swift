import Jobs
import SQLite

/// The rows of `member`: the files of groups.
enum MemberRow {
  static let names =
    ["path"] + IdentityColumns.names() + [
      "may_be_stale", "upload_id", "part_size", "upload_checksum", "upload_inode", "upload_size", "upload_modified_ns",
      "upload_changed_ns", "etag", "version", "sha256", "checksum_algorithm",
      "checksum_type", "checksum_value", "crc64nvme", "content_type", "uploaded_at",
    ]

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

  static func store(_ receipt: UploadReceipt, of path: FileName, _ job: JobNumber, in db: Database) throws {
    var row = try db.binding(
      """
      UPDATE member SET may_be_stale = 0, upload_id = NULL, part_size = NULL, upload_checksum = NULL, etag = ?, version = ?,
        sha256 = ?, checksum_algorithm = ?, checksum_type = ?, checksum_value = ?, crc64nvme = ?, content_type = ?,
        uploaded_at = ? WHERE job = ? AND path = ?
      """)
    row.add(receipt.etag)
    row.add(receipt.version)
    row.add(receipt.sha256)
    row.add(receipt.checksum?.algorithm)
    row.add(receipt.checksum?.type.rawValue)
    row.add(receipt.checksum?.value)
    row.add(receipt.crc64nvme)
    row.add(receipt.contentType)
    row.add(receipt.uploadedAt.microseconds)
    row.add(job.rawValue)
    row.add(path.bytes)
    try row.run()
  }

  static func begin(_ upload: MultipartUpload, of path: FileName, _ job: JobNumber, in db: Database) throws {
    try db.execute(
      """
      UPDATE member SET upload_id = ?, part_size = ?, upload_checksum = ?, upload_inode = ?, upload_size = ?,
        upload_modified_ns = ?, upload_changed_ns = ? WHERE job = ? AND path = ?
      """,
      [
        upload.id, upload.partSize, upload.checksum, Int64(bitPattern: upload.file.inode), upload.file.size,
        upload.file.modified, upload.file.changed, job.rawValue, path.bytes,
      ])
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
    let uploadID: String? = reader.optional()
    let partSize = reader.optional(in: ColumnReader.Bounds.partSize)
    let uploadChecksum: String? = reader.optional()
    let inode: Int64? = reader.optional()
    let size = reader.optional(in: ColumnReader.Bounds.size)
    let modified: Int64? = reader.optional()
    let changed: Int64? = reader.optional()
    let etag: String? = reader.optional()
    let version: String? = reader.optional()
    let sha256: String? = reader.optional()
    let algorithm: String? = reader.optional()
    let type: Checksum.Extent? = try reader.nextOptionalCase()
    let value: String? = reader.optional()
    let crc64nvme: String? = reader.optional()
    let contentType: String? = reader.optional()
    let uploadedAt = reader.optionalTime()
    if let uploadID, let partSize, let uploadChecksum, let inode, let size, let modified, let changed {
      member.multipart = MultipartUpload(
        id: uploadID, partSize: partSize, checksum: uploadChecksum,
        file: FileIdentity(
          device: member.identity.device, inode: UInt64(bitPattern: inode), size: size, modified: modified,
          changed: changed))
    }
    guard let uploadedAt else { return member }
    var checksum: Checksum?
    if let algorithm, let type, let value { checksum = Checksum(algorithm: algorithm, type: type, value: value) }
    member.receipt = UploadReceipt(
      bucket: "", key: "", size: member.identity.size, etag: etag, version: version, sha256: sha256,
      checksum: checksum, crc64nvme: crc64nvme, contentType: contentType ?? "", uploadedAt: uploadedAt)
    return member
  }
}
