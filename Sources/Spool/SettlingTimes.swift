/// How long files have to be still before they are taken.
struct SettlingTimes: Equatable, Sendable {
  /// One whose closing was heard.
  var settle: Duration
  /// One of whose writing nothing was heard.
  var settleUnseen: Duration
  /// One that somebody may have open, where no lease can tell.
  var settleOpen: Duration
  /// One that is empty.
  var settleEmpty: Duration

  /// The time for a file of this origin and size.
  func stillness(_ origin: Candidate.Origin, size: Int64) -> Duration {
    let time =
      switch origin {
      case .closed: settle
      case .unseen: settleUnseen
      case .renamed, .linked: Duration.zero
      }
    return size == 0 ? max(time, settleEmpty) : time
  }
}
