// Made by scripts/messages.

extension MessageTable {
  /// The forms of all topics.
  package static let all: [MessageForm] = [
    answers, commands, explain, files, fleet, gates, intake, jobs, problems, remedies, standstill, transfers, uploads,
  ].flatMap(\.self)
}
