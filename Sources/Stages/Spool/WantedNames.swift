package import Jobs
import Linux
import PCRE2

/// The names in a spool that are claimed or searched: they do not begin with a dot, no pattern of `ignore` matches, and `match` lets a file
/// pass.
package struct WantedNames: Sendable {
  private let ignored: [ShellPattern]
  private let sidecar: SidecarPattern?
  /// The expression that names must match; nil if there is none.
  private let matcher: NameMatcher?

  package init(_ options: SpoolOptions) {
    ignored = options.ignore.map { ShellPattern($0) }
    sidecar = options.sidecar
    matcher = options.unmatched == .ignore ? options.match.map { NameMatcher($0) } : nil
  }

  /// Returns true if a name, with its path below the spool, is wanted: as a directory to search, or as a file that `match` is asked about.
  package func contains(_ name: FileName) -> Bool {
    guard let first = name.last.bytes.first, first != UInt8(ascii: ".") else { return false }
    return pattern(for: name) == nil
  }

  /// Returns true if a file of this name, with its path below the spool, is to be claimed.
  func containsFile(_ name: FileName) -> Bool { contains(name) && isMatched(name) }

  /// Returns true if `match` lets a file or a group pass, whose name has its path below the spool. A name that takes too many steps to
  /// match passes: a person is asked.
  func isMatched(_ name: FileName) -> Bool {
    guard let matcher, sidecar?.fits(name.last) != true else { return true }
    return matcher.match(name) != .unmatched
  }

  /// Returns the pattern of `ignore` that a name, with its path below the spool, matches; nil if none does.
  func pattern(for name: FileName) -> String? {
    // mkfs makes it at the top of a file system, for root alone (mke2fs(8)).
    if name.bytes.elementsEqual("lost+found".utf8) { return "lost+found" }
    let last = name.last.bytes
    return ignored.first { $0.matches(last) }?.text
  }
}

/// Matches names of files with the expression of their spool.
package struct NameMatcher: Sendable {
  private let expression: NameExpression?
  private let includesPath: Bool

  package enum Match: Equatable, Sendable {
    /// The name matches; the parts of it, by their names.
    case parts([String: String])
    case unmatched
    /// The match took too many steps and was given up.
    case undecided
  }

  /// Takes over the expression of a spool. No configuration lets one pass that cannot be compiled; here such a one matches no name.
  package init(_ pattern: NamePattern) {
    // An expression with a slash is for the path below the spool and the name, another one for the name alone.
    includesPath = pattern.text.utf8.contains(UInt8(ascii: "/"))
    do throws(NameExpressionFault) {
      expression = try NameExpression(pattern.text)
    } catch {
      expression = nil
    }
  }

  package func match(_ name: FileName) -> Match {
    switch expression?.match(includesPath ? name.bytes : name.last.bytes) {
    case .no, nil: .unmatched
    case .undecided: .undecided
    case .yes(let parts): .parts(parts)
    }
  }
}
