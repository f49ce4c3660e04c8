import Jobs
import Ledger

/// The ledger's knowledge of groups' files, as the stages may ask it: a stage sees no ledger.
struct MemberBook: Sendable {
  typealias Files = [(path: FileName, identity: FileIdentity)]

  /// Lists files before any of them is sent.
  let list: @Sendable (Files, Job) async throws -> Void
  /// Returns files in the order of their paths, from a path on; only those that are not stored, if that is asked.
  let page: @Sendable (JobNumber, _ after: FileName?, _ unstored: Bool) async throws -> [GroupMember]
  /// Makes a receipt durable.
  let store: @Sendable (UploadReceipt, FileName, Job) async throws -> Void
  /// Makes an upload in parts durable. Returns false if the attempt is no longer wanted.
  let began: @Sendable (MultipartUpload, FileName, Job) async throws -> Bool
  /// Forgets files that have gone before anything of them was sent.
  let forget: @Sendable ([FileName], JobNumber) async throws -> Void
  /// Forgets that objects are stored, because they were deleted.
  let unstore: @Sendable ([FileName], JobNumber) async throws -> Void

  /// Forgets all files.
  let forgetAll: @Sendable (JobNumber) async throws -> Void
  /// Returns how many files are listed and stored.
  let progress: @Sendable (JobNumber) async throws -> GroupProgress
  /// Returns a job by its number.
  let job: @Sendable (JobNumber) async throws -> Job?

  /// The number of files that are read at once.
  static let pageSize = 128

  init(_ ledger: JobLedger) {
    list = { try await ledger.list($0, of: $1.number) }
    page = { try await ledger.members(of: $0, after: $1, unstored: $2, limit: Self.pageSize) }
    store = { try await ledger.store($0, of: $1, $2.number) }
    began = { try await ledger.began($0, of: $1, $2) }
    forget = { try await ledger.forget($0, of: $1) }
    unstore = { try await ledger.unstore($0, $1) }
    forgetAll = { try await ledger.forgetMembers(of: $0) }
    progress = { try await ledger.progress(of: $0) }
    job = { try await ledger.job(.number($0)) }
  }
}
