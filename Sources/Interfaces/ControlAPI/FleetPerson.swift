package import Jobs
import Messages

/// A person on another machine who asks for something through the fleet, and the role of the database by which the request came.
///
/// The writer of the request vouches for the person: the fleet's page, or the machine on which the command was typed. The
/// database vouches for the role. So a history shows both. They cannot be confused, because a name has none of the characters
/// that set off the role.
public struct FleetPerson: Hashable, Sendable, CustomStringConvertible {
  /// The longest name of a person in bytes; it is kept with each change.
  public static let longestName = 128
  /// The longest name of a role in bytes, as in PostgreSQL.
  public static let longestRole = 63

  /// The name of the person.
  public let name: String
  /// The role; nil from an agent that does not send it.
  public let role: String?

  /// Creates a person; nil if one of the names is empty, too long, begins or ends with white space, or has control characters,
  /// commas or parentheses.
  public init?(_ name: String, role: String? = nil) {
    guard Self.isFit(name, Self.longestName), role.map({ Self.isFit($0, Self.longestRole) }) ?? true else { return nil }
    (self.name, self.role) = (name, role)
  }

  /// The form in histories: `anna (fleet, role ops)`.
  public var description: String { role.map { "\(name) (fleet, role \($0))" } ?? "\(name) (fleet)" }

  /// Returns a name in which an underscore replaces each character that is not allowed.
  public static func fitting(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { isFit($0) ? $0 : "_" }))
  }

  private static func isFit(_ name: String, _ limit: Int) -> Bool {
    // a header loses the white space around it
    guard let first = name.first, let last = name.last, !first.isWhitespace, !last.isWhitespace else { return false }
    return name.utf8.count <= limit && name.unicodeScalars.allSatisfy { isFit($0) }
  }

  private static func isFit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: !",()".unicodeScalars.contains(scalar)
    }
  }
}

extension Caller {
  /// Returns the caller to name in the history of the changes of a person elsewhere, e.g. `anna (fleet, role ops)`. The kernel vouches
  /// for the fleet's agent, and the agent for the person.
  /// - Parameter agent: the user, by name or id, who may be the agent; nil for nobody.
  /// - Throws: ``ProblemDocument`` 403 if this is not the agent, and 400 for a name that cannot be a person's.
  package func acting(for person: String, role: String?, allowed agent: String?) throws(ProblemDocument) -> Caller {
    guard let agent, user == agent || String(uid) == agent else {
      throw ProblemDocument(.onBehalfOf, saying: .mayNotActForOthers(user: DisplayText.escape(user)))
    }
    guard let person = FleetPerson(person, role: role) else {
      throw ProblemDocument(
        .invalidRequest, saying: .noPersonsName(person: FleetPerson.longestName, role: FleetPerson.longestRole))
    }
    return Caller(uid: uid, user: person.description)
  }
}
