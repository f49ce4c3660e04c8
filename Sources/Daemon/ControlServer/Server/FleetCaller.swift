import ControlAPI
import Jobs

/// The agent of the fleet, which passes on the commands of people on other machines. The kernel vouches for the agent, and the
/// agent for the person.
struct FleetCaller {
  let agent: Caller
  /// The user, by name or id, who may be the agent; nil for nobody.
  let allowed: String?

  /// Returns the caller to name in the history of the person's changes, e.g. `anna (fleet, role ops)`.
  ///
  /// - Throws: ``ProblemDocument`` 403 if the caller is not the agent's user, and 400 for a name that cannot be a person's.
  func acting(for person: String, role: String?) throws(ProblemDocument) -> Caller {
    guard let allowed, agent.user == allowed || String(agent.uid) == allowed else {
      throw ProblemDocument(
        .onBehalfOf,
        detail:
          "User \(DisplayText.escape(agent.user)) may not act for other people (Waybill-On-Behalf-Of): only the agent "
          + "of the fleet may, whose user is [daemon] fleet_user in the configuration")
    }
    guard let person = FleetPerson(person, role: role) else {
      throw ProblemDocument(
        .invalidRequest,
        detail:
          "Waybill-On-Behalf-Of has to be the name of a person, of at most \(FleetPerson.longestName) bytes without commas "
          + "and parentheses, and so has Waybill-On-Behalf-Role that of a role, of at most \(FleetPerson.longestRole)")
    }
    return Caller(uid: agent.uid, user: person.description)
  }
}
