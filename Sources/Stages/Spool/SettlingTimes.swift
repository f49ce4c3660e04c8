import Jobs

/// The times for which files must stay unchanged before they are claimed.
struct SettlingTimes: Equatable, Sendable {
  /// For a file whose close after the last write was seen, and for one whose making was, if a lease shows that nobody writes to it.
  var settle: Duration
  /// For a file whose writing was not seen.
  var settleUnseen: Duration
  /// For a file that somebody may have open, if no lease can tell.
  var settleOpen: Duration
  /// For a file that is empty.
  var settleEmpty: Duration
  /// For a file that was renamed in.
  var settleRenamed = Duration.zero

  /// Returns the time for a file of this origin and size.
  func stillness(_ origin: Candidate.Origin, size: Int64) -> Duration {
    let time =
      switch origin {
      case .closed, .made: settle
      case .unseen: settleUnseen
      case .renamed: settleRenamed
      case .linked: Duration.zero
      }
    return size == 0 ? max(time, settleEmpty) : time
  }
}

extension SettlingTimes {
  init(_ options: SpoolOptions) {
    self.init(
      settle: options.settle, settleUnseen: options.settleUnseen, settleOpen: options.settleOpen,
      settleEmpty: options.settleEmpty, settleRenamed: options.settleRenamed)
  }
}
