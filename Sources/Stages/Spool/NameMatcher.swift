public import Jobs
import PCRE2

/// Matches names of files with the expression of their spool.
public struct NameMatcher: Sendable {
  private let expression: NameExpression?
  private let includesPath: Bool

  /// The result of a match.
  public enum Match: Equatable, Sendable {
    /// The name matches; the parts of it, by their names.
    case parts([String: String])
    /// The name does not match.
    case unmatched
    /// The match took too many steps and was given up.
    case undecided
  }

  /// Takes over the expression of a spool. One that cannot be compiled, which no configuration lets pass, matches no name.
  public init(_ pattern: NamePattern) {
    includesPath = pattern.includesPath
    do throws(NameExpressionFault) {
      expression = try NameExpression(pattern.text)
    } catch {
      expression = nil
    }
  }

  /// Matches a name, with its path below the spool.
  public func match(_ name: FileName) -> Match {
    switch expression?.match(includesPath ? name.bytes : name.last.bytes) {
    case .no, nil: .unmatched
    case .undecided: .undecided
    case .yes(let parts): .parts(parts)
    }
  }
}
