/// The things that become of the card of a spool whose files stay where they are (`after = "keep"`).
package enum CardChange: String, CaseIterable, Sendable {
  case comesBack = "comes back"
  case isChanged = "comes back with other files"
  case isReplaced = "gives way to another one with the same names"
  case staysAway = "stays away"
}

/// The things that meet it.
package enum CardMeeting: String, CaseIterable, Sendable {
  case nothing
  case pause = "a pause"
  case intakePause = "a pause of the intake"
  case restart = "a restart"
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
  case commands = "commands"
  /// A time that is longer than a job waits without a question.
  case days = "days"
}
