/// Options that belong to every subcommand may also come before it, as with git and docker: `waybill --socket S status`.
enum LeadingOptions {
  private static let withValue: Set<String> = ["--socket", "--instance"]
  private static let flags: Set<String> = ["--json"]

  /// The arguments with such options moved behind the subcommand; unchanged if there is none.
  static func moved(_ arguments: [String]) -> [String] {
    var index = arguments.startIndex
    while index < arguments.endIndex {
      let argument = arguments[index]
      if withValue.contains(argument) {
        index += 2
      } else if flags.contains(argument) || withValue.contains(where: { argument.hasPrefix($0 + "=") }) {
        index += 1
      } else {
        break
      }
    }
    guard index > arguments.startIndex, index < arguments.endIndex else { return arguments }
    return [arguments[index]] + arguments[..<index] + arguments[(index + 1)...]
  }
}
