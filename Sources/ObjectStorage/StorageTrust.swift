import Synchronization

/// Remembers whether a storage has shown that it keeps what it is given.
///
/// A far side may answer as S3 does and keep nothing, so the first object after a start, a reload or trouble is looked for by
/// HEAD. From then on its answers count by themselves, and cost one look at a flag.
final class StorageTrust: Sendable {
  private let proven = Atomic<Bool>(false)
  private let told = Atomic<Bool>(false)
  private let notice: @Sendable (String) -> Void

  /// - Parameter notice: hears once that HEAD is refused, which leaves the answers alone.
  init(notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

  /// Whether answers count by themselves.
  var isProven: Bool { proven.load(ordering: .acquiring) }

  /// An object was found that was stored here.
  func prove() { proven.store(true, ordering: .releasing) }

  /// The storage was in trouble: what answers now may be something else.
  func doubt() { proven.store(false, ordering: .releasing) }

  /// HEAD is refused for want of a right, and so nothing can be proven.
  func proveWithoutHead(_ words: @autoclosure () -> String) {
    prove()
    if !told.exchange(true, ordering: .acquiringAndReleasing) { notice(words()) }
  }
}
