import Synchronization

/// Remembers whether a storage has shown that it keeps what it gets.
///
/// A server may answer like S3 and keep nothing. So the first object after a start, a reload or a problem is checked by HEAD.
/// From then on the storage's answers count by themselves, and cost one look at a flag.
final class StorageTrust: Sendable {
  private let proven = Atomic<Bool>(false)
  private let condition = Atomic<Bool>(false)
  private let refused = Atomic<Bool>(false)
  private let told = Atomic<Bool>(false)
  /// The jobs whose signatures were refused lately.
  let signatures = Mutex(SignatureRefusals())
  private let notice: @Sendable (String) -> Void

  /// - Parameter notice: called once if HEAD is refused; then only the answers count.
  init(notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

  /// True if answers count by themselves.
  var isProven: Bool { proven.load(ordering: .acquiring) }

  /// An object that was stored here has been found.
  func prove() { proven.store(true, ordering: .releasing) }

  /// True if a PUT with `If-None-Match: *` replaces no object here. Some storages ignore the header.
  var keepsCondition: Bool { condition.load(ordering: .acquiring) }

  /// A PUT was refused because of its condition, and HEAD has shown the object.
  func proveCondition() { condition.store(true, ordering: .releasing) }

  /// True if requests may carry the condition.
  var takesCondition: Bool { !refused.load(ordering: .acquiring) }

  /// The storage refuses requests with the condition. Until the next start or reload none has it; HEAD tells what is there.
  func giveUpCondition(_ words: @autoclosure () -> String) {
    condition.store(false, ordering: .releasing)
    if !refused.exchange(true, ordering: .acquiringAndReleasing) { notice(words()) }
  }

  /// The storage had a problem: the next answers may come from something else.
  func doubt() {
    proven.store(false, ordering: .releasing)
    condition.store(false, ordering: .releasing)
  }

  /// HEAD is refused because a right is missing, so nothing can be proven.
  func proveWithoutHead(_ words: @autoclosure () -> String) {
    prove()
    if !told.exchange(true, ordering: .acquiringAndReleasing) { notice(words()) }
  }
}
