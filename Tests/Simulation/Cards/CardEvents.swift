/// The things that become of the card of a spool whose files stay where they are (`after = "keep"`).
package enum CardChange: String, CaseIterable, Sendable {
  /// It is taken out and comes back as it was.
  case comesBack = "comes back"
  /// It comes back with changed, touched and new files.
  case isChanged = "comes back with other files"
  /// Another card with the same names is in its place.
  case isReplaced = "gives way to another one with the same names"
  /// It stays away.
  case staysAway = "stays away"
}

/// The things that meet it.
package enum CardMeeting: String, CaseIterable, Sendable {
  /// Nothing.
  case nothing
  /// A pause of its spool.
  case pause = "a pause"
  /// A pause of the intake.
  case intakePause = "a pause of the intake"
  /// A stop and a start in order.
  case restart = "a restart"
  /// The daemon's death.
  case crash = "a crash"
  /// A reload that gives the spool another name, and one that gives it back.
  case rename = "another name"
  /// Room for few jobs at once.
  case narrowAdmission = "little room"
  /// The loss of the ledger, and with it of the list of sent files.
  case lostLedger = "a lost ledger"
  /// Another outage of the storage, or of the backend.
  case outage = "an outage"
  /// A backend that refuses some files, so that people are asked.
  case refusals = "refusals"
  /// People's commands.
  case commands = "commands"
  /// A time that is longer than a job waits without a question.
  case days = "days"
}
