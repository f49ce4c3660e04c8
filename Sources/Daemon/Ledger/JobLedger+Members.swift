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

  /// Makes the receipt of a file's object durable.
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

  /// Forgets files without a receipt that are no longer in the group. Cleanups of their keys remove what earlier attempts may have left.
  package func forget(_ paths: [FileName], of job: Job, key: @escaping @Sendable (FileName) -> String) async throws {
    guard !paths.isEmpty else { return }
    try await writer.perform { batch in
      for path in paths { try batch.forget(path, of: job, key: key(path)) }
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

  package func progress(of job: JobNumber) async throws -> GroupProgress {
    try await read { db in
      try db.first("SELECT count(*), count(uploaded_at) FROM member WHERE job = ? AND path > x''", [job.rawValue]) {
        GroupProgress(files: $0[0], stored: $0[1])
      } ?? GroupProgress(files: 0, stored: 0)
    }
  }
}

extension LedgerBatch {
  fileprivate mutating func forget(_ path: FileName, of job: Job, key: String) throws {
    guard let member = try MemberRow.member(path, of: job.number, in: db), member.receipt == nil else { return }
    let ticket = job.ticket
    let now = clock.steady()
    try applyCleanup(
      .owe(
        Cleanup(
          job: job.number, id: ticket.id, spool: ticket.spool, storage: ticket.storage, bucket: ticket.bucket,
          key: key, aim: .look, uploadID: member.multipart?.id, uploadUnheardAt: now, nextAt: now)), of: job)
    try db.execute(
      "DELETE FROM member WHERE job = ? AND path = ? AND uploaded_at IS NULL", [job.number.rawValue, path.bytes])
  }
}
