import Delivery
import Settings

extension SidecarTerms {
  /// The terms of a spool's settings; nil if its documents have no sidecars.
  init?(_ spool: SpoolSettings) {
    guard let pattern = spool.sidecar else { return nil }
    let missing: Missing =
      switch spool.sidecarMissing {
      case .send: .send
      case .ask: .ask
      }
    self.init(pattern: pattern, wait: spool.sidecarWait, missing: missing)
  }
}
