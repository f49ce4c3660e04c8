import ControlAPI
import Jobs
import Messages

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
        .onBehalfOf, saying: .mayNotActForOthers(user: DisplayText.escape(agent.user)))
    }
    guard let person = FleetPerson(person, role: role) else {
      throw ProblemDocument(
        .invalidRequest,
        saying: .noPersonsName(person: FleetPerson.longestName, role: FleetPerson.longestRole))
    }
    return Caller(uid: agent.uid, user: person.description)
  }
}
