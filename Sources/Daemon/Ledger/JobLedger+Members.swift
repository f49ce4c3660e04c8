package import Jobs
import SQLite

/// The files of groups. A job of one file has none here: its row of `member`, if there is one, has no path.
extension JobLedger {
  /// Lists files of a group before any of them is sent. A listed file that has not changed keeps its record. A changed file is sent
  /// again, and its stored object does not count.
  package func list(_ files: [(path: FileName, identity: FileIdentity)], of job: JobNumber) async throws {
    guard !files.isEmpty else { return }
    try await writer.perform { batch in
      for file in files {
        var row = try batch.db.binding(MemberRow.list, [job.rawValue, file.path.bytes])
        IdentityColumns.write(file.identity, to: &row)
        try row.run()
      }
    }
  }

  package static let memberPage = 128

  /// Returns files of a group in the order of their paths, from a path on; only those that are not stored, on request.
  package func members(
    of job: JobNumber, after path: FileName? = nil, unstored: Bool = false, limit: Int = memberPage
  ) async throws -> [GroupMember] {
    try await read { db in
      try db.all(
        """
        \(MemberRow.select) WHERE job = ? AND path > ? \(unstored ? "AND uploaded_at IS NULL " : "")ORDER BY path LIMIT ?
        """, [job.rawValue, path?.bytes ?? [], limit], MemberRow.member)
    }
  }

  /// Returns those of these files that are listed. The calling thread waits.
  package func members(_ paths: [FileName], of job: JobNumber) throws -> [FileName: GroupMember] {
    try readNow { db in try MemberRow.members(paths, of: job, in: db) }
  }

  package func store(_ receipt: UploadReceipt, of path: FileName, _ job: JobNumber) async throws {
    try await writer.perform { batch in
      var row = try batch.db.binding(MemberRow.store)
      row.add(receipt.contentType)
      ObjectColumns.write(receipt, to: &row)
      row.add(job.rawValue)
      row.add(path.bytes)
      try row.run()
    }
  }

  /// Makes an upload in parts of a file durable. Returns false if the attempt is no longer the one in flight.
  package func began(_ upload: MultipartUpload, of path: FileName, _ job: Job) async throws -> Bool {
    try await writer.perform { batch in
      var row = try batch.db.binding(MemberRow.begin)
      MultipartColumns.write(upload, to: &row)
      row.add(job.number.rawValue)
      row.add(path.bytes)
      try row.run()
      guard let now = try batch.job(job.number) else { return false }
      return now.state == .active && now.step == .upload && now.attempt == job.attempt
    }
  }

  /// Forgets that a file's object is stored: it was deleted.
  package func unstore(_ paths: [FileName], _ job: JobNumber) async throws {
    guard !paths.isEmpty else { return }
    try await writer.perform { batch in
      for path in paths {
        try batch.db.execute(
          "UPDATE member SET uploaded_at = NULL, upload_id = NULL WHERE job = ? AND path = ?",
          [job.rawValue, path.bytes])
      }
    }
  }

  /// Forgets files without a receipt that are no longer in the group. Cleanups look for objects under their keys.
  package func forget(_ paths: [FileName], of job: Job, key: @escaping @Sendable (FileName) -> String) async throws {
    guard !paths.isEmpty else { return }
    try await writer.perform { batch in
      for path in paths {
        guard let member = try MemberRow.member(path, of: job.number, in: batch.db), member.receipt == nil else {
          continue
        }
        let (ticket, now) = (job.ticket, batch.clock.steady())
        let cleanup = Cleanup(
          job: job.number, id: ticket.id, spool: ticket.spool, storage: ticket.storage, bucket: ticket.bucket,
          key: key(path), aim: .look, uploadID: member.multipart?.id, uploadUnheardAt: now, nextAt: now)
        try batch.applyCleanup(.owe(cleanup), of: job)
        try batch.db.execute("DELETE FROM member WHERE job = ? AND path = ?", [job.number.rawValue, path.bytes])
      }
    }
  }

  /// Drops the cleanups of files that are back in their group, by the keys of their objects.
  package func areBack(_ keys: [String], in job: JobNumber) async throws {
    guard try await cleanup(of: job) != nil else { return }
    try await writer.perform { batch in
      for key in keys { try CleanupRow.delete(job, key: key, from: batch.db) }
      batch.cleanupsDidChange()
    }
  }

  package func progress(of job: JobNumber) async throws -> (files: Int, stored: Int) {
    try await read { db in
      try db.first("SELECT count(*), count(uploaded_at) FROM member WHERE job = ? AND path > x''", [job.rawValue]) {
        ($0[0], $0[1])
      } ?? (0, 0)
    }
  }
}

/// The rows of `member`: the files of groups, and single files that are uploaded in parts.
enum MemberRow {
  /// The columns after the job, as the table declares them. `uploaded_at` is null until the object is stored.
  static let declared =
    ["path BLOB NOT NULL"] + IdentityColumns.declared + ["may_be_stale INTEGER NOT NULL", "content_type TEXT"]
    + ObjectColumns.declared + MultipartColumns.declared

  static let select = "SELECT \(declared.names.listed) FROM member"

  /// Lists a file. Parameters: the job, the path, the identity.
  static let list = SQL(
    """
    INSERT INTO member (job, path, \(IdentityColumns.names.listed), may_be_stale)
    VALUES (?, ?, \(IdentityColumns.names.marks), 0)
    ON CONFLICT (job, path) DO UPDATE SET \(IdentityColumns.names.excluded), may_be_stale = 1, uploaded_at = NULL
    WHERE inode <> excluded.inode OR size <> excluded.size OR modified_ns <> excluded.modified_ns
    """)

  /// Notes the receipt of a file. Parameters: the content type, the object's columns, the job, the path.
  static let store = SQL(
    """
    UPDATE member SET may_be_stale = 0, upload_id = NULL, part_size = NULL, checksum = NULL, content_type = ?, \
    \(ObjectColumns.declared.names.assigned) WHERE job = ? AND path = ?
    """)

  /// Notes the upload in parts of a file. Parameters: the upload's columns, the job, the path.
  static let begin = SQL("UPDATE member SET \(MultipartColumns.names.assigned) WHERE job = ? AND path = ?")

  private static let partsSQL = SQL.insertion(
    into: "member", ["job", "path"] + IdentityColumns.names + ["may_be_stale"] + MultipartColumns.names,
    replacing: true)

  /// Writes the upload in parts of a single file, which has no path; nil deletes the row.
  static func write(_ upload: MultipartUpload?, of job: JobNumber, into db: Database) throws {
    guard let upload else { return try db.execute("DELETE FROM member WHERE job = ? AND path = x''", [job.rawValue]) }
    var row = try db.binding(partsSQL, [job.rawValue, [UInt8]()])
    IdentityColumns.write(upload.file, to: &row)
    row.add(false)
    MultipartColumns.write(upload, to: &row)
    try row.run()
  }

  static func member(_ path: FileName, of job: JobNumber, in db: Database) throws -> GroupMember? {
    try db.first("\(select) WHERE job = ? AND path = ?", [job.rawValue, path.bytes], member)
  }

  static func members(_ paths: [FileName], of job: JobNumber, in db: Database) throws -> [FileName: GroupMember] {
    try paths.reduce(into: [:]) { found, path in found[path] = try member(path, of: job, in: db) }
  }

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

/// The column `parcel` of `ticket`: null for one file, as most are; otherwise a word and its facts, with blanks between. The last fact may
/// have blanks.
enum ParcelColumn {
  static func text(of parcel: Parcel) -> String? {
    switch parcel {
    case .file: return nil
    case .inPlace: return "in-place"
    case .group(let group):
      let files = group.files.map { "group \($0)" } ?? "group -"
      return group.marker.map { "\(files) \($0)" } ?? files
    case .withSidecar(let sidecar):
      let file = sidecar.identity
      let (device, inode) = (Int64(bitPattern: file.device), Int64(bitPattern: file.inode))
      return "sidecar \(device) \(inode) \(file.size) \(file.modified) \(file.changed) \(sidecar.pattern.text)"
    }
  }

  static func parcel(_ text: String?) throws(LedgerError) -> Parcel {
    guard let text else { return .file }
    func words(upTo count: Int) -> [Substring] {
      Array(text.split(separator: " ", maxSplits: count, omittingEmptySubsequences: false).dropFirst())
    }
    if text == "in-place" { return .inPlace }
    if text.hasPrefix("group ") {
      let facts = words(upTo: 2)
      return .group(Parcel.Group(marker: facts.count > 1 ? String(facts[1]) : nil, files: Int(facts[0])))
    }
    let facts = words(upTo: 6)
    let numbers = facts.prefix(5).compactMap { Int64($0) }
    guard text.hasPrefix("sidecar "), facts.count == 6, numbers.count == 5 else { throw unknown(text) }
    do throws(SidecarPattern.Fault) {
      let identity = FileIdentity(
        device: UInt64(bitPattern: numbers[0]), inode: UInt64(bitPattern: numbers[1]), size: numbers[2],
        modified: numbers[3], changed: numbers[4])
      return .withSidecar(Parcel.Sidecar(pattern: try SidecarPattern(String(facts[5])), identity: identity))
    } catch {
      throw unknown(text)
    }
  }

  private static func unknown(_ text: String) -> LedgerError {
    LedgerError(.configuration, "the parcel \(text.prefix(200)) is not known to this version")
  }
}
