public import Jobs
import SQLite

/// The files of groups. A job of one file has none here.
extension JobLedger {
  /// Lists files of a group before any of them is sent. A file that has changed since it was listed is to be sent again.
  public func list(_ files: [(path: FileName, identity: FileIdentity)], of job: JobNumber) async throws {
    guard !files.isEmpty else { return }
    let known = try await members(files.map(\.path), of: job)
    let new = files.filter { known[$0.path]?.identity.isUnwritten(since: $0.identity) != true }
    guard !new.isEmpty else { return }
    try await writer.perform { batch in
      for file in new { try MemberRow.list(file.path, file.identity, of: job, into: batch.db) }
    }
  }

  /// The number of files of a group that are read at once.
  public static let memberPage = 128

  /// Returns files of a group in the order of their paths, from a path on; only those that are not stored, if that is asked.
  public func members(
    of job: JobNumber, after path: FileName? = nil, unstored: Bool = false, limit: Int = memberPage
  ) async throws -> [GroupMember] {
    try await read { db in try MemberRow.page(of: job, after: path, unstored: unstored, limit: limit, in: db) }
  }

  /// Returns those of these files that are listed.
  public func members(_ paths: [FileName], of job: JobNumber) async throws -> [FileName: GroupMember] {
    try await read { db in try MemberRow.members(paths, of: job, in: db) }
  }

  /// Makes the receipt of a file's object durable.
  public func store(_ receipt: UploadReceipt, of path: FileName, _ job: JobNumber) async throws {
    try await writer.perform { batch in try MemberRow.store(receipt, of: path, job, in: batch.db) }
  }

  /// Makes an upload in parts of a file durable.
  ///
  /// - Returns: false if the attempt is no longer the one in flight.
  public func began(_ upload: MultipartUpload, of path: FileName, _ job: Job) async throws -> Bool {
    try await writer.perform { batch in
      try MemberRow.begin(upload, of: path, job.number, in: batch.db)
      guard let now = try batch.job(job.number) else { return false }
      return now.state == .active && now.step == .upload && now.attempt == job.attempt
    }
  }

  /// Forgets that a file's object is stored: it was deleted.
  public func unstore(_ paths: [FileName], _ job: JobNumber) async throws {
    guard !paths.isEmpty else { return }
    try await writer.perform { batch in
      for path in paths { try MemberRow.unstore(path, job, in: batch.db) }
    }
  }

  /// Forgets files without a receipt that are no longer in the group. What earlier attempts may have left of them is owed.
  ///
  /// - Parameter key: returns the key of a file's object.
  public func forget(_ paths: [FileName], of job: Job, key: @escaping @Sendable (FileName) -> String) async throws {
    guard !paths.isEmpty else { return }
    try await writer.perform { batch in try batch.forget(paths, of: job, key: key) }
  }

  /// Forgets what is owed of files that are back in their group.
  ///
  /// - Parameter keys: the keys of their objects.
  public func areBack(_ keys: [String], in job: JobNumber) async throws {
    guard try await cleanup(of: job) != nil else { return }
    try await writer.perform { batch in
      for key in keys { try CleanupRow.delete(job, key: key, from: batch.db) }
      batch.cleanupsDidChange()
    }
  }

  /// Returns how many files of a group are listed and stored.
  public func progress(of job: JobNumber) async throws -> GroupProgress {
    try await read { db in try MemberRow.progress(of: job, in: db) }
  }
}
