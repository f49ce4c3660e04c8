// Made by scripts/messages from Table/summary.txt.

extension Message {
  /// `Registered since {since}: {registered} ({size}). Now waiting: {waiting}, working: {working}, needs you: {asking}, stopped: {stopped}, problems: {problems}`
  public static func dailySummary(
    since: String, registered: some BinaryInteger, size: Int64, waiting: some BinaryInteger,
    working: some BinaryInteger, asking: some BinaryInteger, stopped: some BinaryInteger, problems: some BinaryInteger
  ) -> Message {
    Message(
      code: "daily-summary",
      [
        "since": .time(since), "registered": .number(Int64(clamping: registered)), "size": .bytes(size),
        "waiting": .number(Int64(clamping: waiting)), "working": .number(Int64(clamping: working)),
        "asking": .number(Int64(clamping: asking)), "stopped": .number(Int64(clamping: stopped)),
        "problems": .number(Int64(clamping: problems)),
      ])
  }
}
