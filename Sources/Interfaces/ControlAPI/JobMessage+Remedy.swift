public import Jobs

extension JobMessage {
  /// The commands that move the job on; nil if it continues by itself, or has ended well.
  public var remedy: String? {
    switch state {
    case .queued: heldBy?.remedy
    case .active, .registered, .skipped, .discarded: nil
    case .deferred: "waybill retry \(job)"
    case .awaitingConfirmation: "waybill confirm \(job), or waybill cancel \(job)"
    case .awaitingCredentials: "waybill status --long"
    case .awaitingNetwork: "waybill resume"
    case .aborted, .cancelled: "waybill retry \(job), or waybill release \(job) --to DIRECTORY"
    }
  }
}

extension JobMessage {
  /// The name of the state for people: `released` for a discarded job whose file was given back.
  public var stateWord: String { released == nil ? state.word : JobCommand.Name.release.participle }
}

extension JobState {
  /// The command that moves all jobs of a state that does not end by itself; nil for the others.
  public var remedy: String? {
    switch self {
    case .awaitingConfirmation: "waybill ask"
    case .awaitingCredentials: "waybill status --long"
    case .awaitingNetwork: "waybill resume"
    case .aborted: "waybill retry --state aborted"
    case .queued, .active, .deferred, .registered, .skipped, .cancelled, .discarded: nil
    }
  }
}
