import CommandParts

extension Output {
  /// A line on standard error, with the program's name before it.
  static func error(_ text: String) { plainError("waybill: " + text) }
}
