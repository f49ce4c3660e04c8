public import Jobs
import Linux
import PCRE2

/// The names in a spool that are claimed or searched: they do not begin with a dot, and no pattern of `ignore` matches. The name
/// of a file must also match a pattern of `only`, if there are any, and the expression of `match`, if other files are ignored.
struct WantedNames: Sendable {
  private let ignored: [ShellPattern]
  private let only: [ShellPattern]
  private let sidecar: SidecarPattern?
  /// The expression without which a file stays in the spool; nil if there is none.
  private let matcher: NameMatcher?

  init(_ options: SpoolOptions) {
    ignored = options.ignore.map { ShellPattern($0) }
    only = options.only.map { ShellPattern($0) }
    sidecar = options.sidecar
    matcher = options.unmatched == .ignore ? options.match.map { NameMatcher($0) } : nil
  }

  /// Returns true if a name, without its path, is wanted: as a directory to search, or as a file, for which `only` applies as
  /// well.
  func contains(_ name: [UInt8]) -> Bool {
    guard let first = name.first, first != UInt8(ascii: ".") else { return false }
    return !ignored.contains { $0.matches(name) }
  }

  /// Returns true if a file of this name, with its path below the spool, is to be claimed.
  func containsFile(_ name: FileName) -> Bool {
    let last = name.last.bytes
    return contains(last) && isListed(last) && isMatched(name)
  }

  /// Returns true if `only` does not exclude the file. `only` applies to documents, not to their sidecars.
  func isListed(_ name: [UInt8]) -> Bool {
    only.isEmpty || only.contains { $0.matches(name) } || isSidecar(name)
  }

  /// Returns true if `match` does not keep a file or a group, whose name has its path below the spool. A name about which the
  /// expression comes to no end is not kept: then a person is asked.
  func isMatched(_ name: FileName) -> Bool {
    guard let matcher, !isSidecar(name.last.bytes) else { return true }
    return matcher.match(name) != .unmatched
  }

  /// Returns true if a name is that of a sidecar.
  func isSidecar(_ name: [UInt8]) -> Bool { sidecar?.fits(FileName(bytes: name)) == true }

  /// Returns the pattern of `ignore` that a name, without its path, matches; nil if none does.
  func pattern(for name: [UInt8]) -> String? { ignored.first { $0.matches(name) }?.text }
}

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

extension SizeLimits {
  /// Returns the reason why a file of this size is not claimed; nil if it is.
  func refusal(of size: Int64) -> FileStatus.Reason? {
    if size == 0, least > 0 { return .empty }
    if size < least { return .tooSmall }
    if let greatest, size > greatest { return .tooLarge }
    return nil
  }

  /// True if every size is allowed, so that no size needs to be read.
  var isUnlimited: Bool { self == SizeLimits() }
}
