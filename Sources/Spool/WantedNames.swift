import LinuxFiles

/// Which names in a spool are to be taken, or looked into, at all: those that do not begin with a dot and that `ignore` leaves.
struct WantedNames: Sendable {
  private let ignored: [ShellPattern]

  init(_ options: SpoolOptions) { ignored = options.ignore.map { ShellPattern($0) } }

  /// Whether a name, without its path, is one.
  func contains(_ name: [UInt8]) -> Bool {
    guard let first = name.first, first != UInt8(ascii: ".") else { return false }
    return !ignored.contains { $0.matches(name) }
  }
}
