/// A job's number for people: 1, 2, 3 …; never reused, not even after the job has left the ledger.
public struct JobNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number itself.
  public let rawValue: Int64

  /// Wraps a number that the ledger gave out.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Orders jobs by their admission.
  public static func < (a: JobNumber, b: JobNumber) -> Bool { a.rawValue < b.rawValue }

  /// The number in decimal digits.
  public var description: String { String(rawValue) }
}
