import Synchronization

/// Records whether a storage has proven that it keeps objects, and whether it honours `If-None-Match`.
///
/// A server may answer like S3 and store nothing. So the first object after a start, a reload or a problem is checked by HEAD. After
/// that, the storage's answers are enough, and each upload only reads a flag.
final class StorageTrust: Sendable {
  private let proven = Atomic<Bool>(false)
  private let condition = Atomic<Bool>(false)
  private let refused = Atomic<Bool>(false)
  private let told = Atomic<Bool>(false)
  /// The recent jobs whose signatures were refused.
  let signatures = Mutex(SignatureRefusals())
  private let notice: @Sendable (String) -> Void

  /// - Parameter notice: is called once if HEAD is refused, and once if the condition is.
  init(notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

  /// True if the storage's answers are enough.
  var isProven: Bool { proven.load(ordering: .acquiring) }

  /// Records that HEAD has shown an object that was stored here.
  func prove() { proven.store(true, ordering: .releasing) }

  /// True if the storage honours `If-None-Match: *` of a PUT. Some storages ignore the header.
  var keepsCondition: Bool { condition.load(ordering: .acquiring) }

  /// Records that a PUT was refused because of its condition, and HEAD has shown the object.
  func proveCondition() { condition.store(true, ordering: .releasing) }

  /// True if requests may be sent with the condition.
  var takesCondition: Bool { !refused.load(ordering: .acquiring) }

  /// Records that the storage refuses requests with the condition. Until the next start or reload, no request has it; HEAD shows
  /// whether an object exists.
  func giveUpCondition(_ words: @autoclosure () -> String) {
    condition.store(false, ordering: .releasing)
    if !refused.exchange(true, ordering: .acquiringAndReleasing) { notice(words()) }
  }

  /// Forgets what was proven, because the storage had a problem: the next answers may come from another server.
  func doubt() {
    proven.store(false, ordering: .releasing)
    condition.store(false, ordering: .releasing)
  }

  /// Records that HEAD is refused because a permission is missing, so nothing can be proven, and answers must be enough.
  func proveWithoutHead(_ words: @autoclosure () -> String) {
    prove()
    if !told.exchange(true, ordering: .acquiringAndReleasing) { notice(words()) }
  }
}
