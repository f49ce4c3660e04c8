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
  case rename = "another name"
  case narrowAdmission = "little room"
  /// The loss of the ledger, and with it of the list of sent files.
  case lostLedger = "a lost ledger"
  case outage = "an outage"
  case refusals = "refusals"
  case commands = "commands"
  case days = "days"
}
