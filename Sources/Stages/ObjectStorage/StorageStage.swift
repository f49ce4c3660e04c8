package import Jobs
import Settings

/// A storage of the configuration, whose requests are signed here (``S3Bucket``) or granted by a backend (``GrantedStorage``).
package protocol StorageStage: Sendable {
  /// True if an object needs ``ObjectToStore/facts``.
  var wantsFacts: Bool { get }
  /// True if an object may be replaced by one with the same key.
  var overwrites: Bool { get }
  /// The time for which an unanswered request may still take effect.
  var landing: Duration { get }

  /// Returns true if an upload of the object has parts that outlive an attempt.
  func goesInParts(_ object: ObjectToStore) -> Bool
  func upload(_ object: ObjectToStore) async -> Result<UploadReceipt, UploadFailure>
  func digest(of object: ObjectToStore) async -> Result<String, UploadFailure>
  func isThere(_ object: ObjectToStore) async -> Result<Bool, UploadFailure>
  func isThere(_ receipt: UploadReceipt, of id: JobID) async -> Result<Bool, UploadFailure>
  /// Checks if the storage answers; nil if it does, or if that cannot be asked.
  func look(bucket: String, key: String?) async throws(CancellationError) -> Failure?
  func clear(_ object: Cleanup, verdict: (Failure) -> Verdict) async -> CleanupResult
  func proveNext()
}

extension S3Bucket: StorageStage {
  package var wantsFacts: Bool { !templates.isEmpty }
  package var overwrites: Bool { settings.overwrite }
  package var landing: Duration { settings.completeTimeout }
}
