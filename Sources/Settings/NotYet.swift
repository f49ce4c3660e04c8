/// What the contract has and this version has not: refused with a plain word, never ignored.
enum NotYet {
  /// Refuses a listener for metrics.
  static func check(_ section: inout Section) {
    guard let node = section.table["metrics"] else { return }
    if case .string("") = node.value { return }
    section.refuse("metrics", "not available yet in this version: only \"\"")
  }
}
