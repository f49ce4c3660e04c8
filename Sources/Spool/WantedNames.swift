import LinuxFiles

/// The names in a spool that are to be taken or searched: those that do not begin with a dot and that `ignore` does not match.
struct WantedNames: Sendable {
  private let ignored: [ShellPattern]

  init(_ options: SpoolOptions) { ignored = options.ignore.map { ShellPattern($0) } }

  /// Returns true if a name, without its path, is wanted.
  func contains(_ name: [UInt8]) -> Bool {
    guard let first = name.first, first != UInt8(ascii: ".") else { return false }
    return !ignored.contains { $0.matches(name) }
  }

  /// Returns the pattern of `ignore` that a name, without its path, matches; nil if none does.
  func pattern(for name: [UInt8]) -> String? { ignored.first { $0.matches(name) }?.text }
}
