import Jobs

extension HoldMessage {
  /// A sentence for a person that names the thing on hold and the reason: `storage.main is on hold: its key was
  /// refused`.
  public var sentence: String {
    switch destination {
    case "recovered": "on hold since the ledger was lost or restored: waybill resume --recovered"
    case _ where destination.hasPrefix("standby."):
      "spool \(destination.dropFirst("standby.".count)) is held by another host, or cannot be used yet"
    case "all" where reason == "paused": "everything is paused: waybill resume"
    case _ where reason == "paused": "\(destination) is paused"
    default: "\(destination) is on hold: \(cause)"
    }
  }

  /// The command that ends the hold, or that shows how to.
  public var remedy: String {
    switch reason {
    case "paused": resumption
    case "question": "waybill ask"
    case "credentials": "waybill credentials"
    default: resumption
    }
  }

  /// The sentence with the command behind it.
  public var advice: String { sentence.contains("waybill ") ? sentence : "\(sentence): \(remedy)" }

  /// The way in which a gate's next try begins, to follow its time: ` (a HEAD goes first)`. Empty if a job is that try.
  public var way: String {
    guard let words, reason != "credentials", reason != "paused" else { return "" }
    return " (\(DisplayText.escape(words)))"
  }

  /// Ends a pause; for a gate it lets a probe go at once.
  private var resumption: String {
    switch Pause.Target(name: destination) {
    case .all, nil: "waybill resume"
    case .recovered: "waybill resume --recovered"
    case .intake: "waybill resume --intake"
    case .spool(let name): "waybill resume --spool \(name)"
    case .storage(let name): "waybill resume --storage \(name)"
    case .backend(let name): "waybill resume --backend \(name)"
    case .standby: "waybill status"
    }
  }

  /// The reason of a gate, to follow its name.
  package var cause: String {
    switch reason {
    case "unavailable": "it answered 503 (service unavailable)"
    case "gateway": "it answers with server errors or not in time"
    case "throttled": "it answered 429 (too many requests)"
    case "credentials": words.map { DisplayText.escape($0) } ?? "its key was refused or cannot be read"
    case "network": "it cannot be reached"
    case "question": "it has a question: waybill ask"
    default: DisplayText.escape(reason)
    }
  }
}
