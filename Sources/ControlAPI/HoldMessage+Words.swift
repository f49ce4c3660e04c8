import Jobs

extension HoldMessage {
  /// A sentence for a person that names the thing on hold and the reason: `storage.main is on hold: its key was
  /// refused`.
  public var sentence: String {
    switch destination {
    case "recovered": "on hold since the ledger was lost or restored: waybill resume --recovered"
    case "all" where reason == "paused": "everything is paused: waybill resume"
    case _ where reason == "paused": "\(destination) is paused"
    default: "\(destination) is on hold: \(cause)"
    }
  }

  private var cause: String {
    switch reason {
    case "unavailable": "it answered 503 (service unavailable)"
    case "gateway": "it answers with server errors or not in time"
    case "throttled": "it answered 429 (too many requests)"
    case "credentials": "its key was refused"
    case "network": "it cannot be reached"
    case "question": "it has a question: waybill ask"
    default: DisplayText.escape(reason)
    }
  }
}
