/// A value with a secret in it, which prints its description however it is printed, also by `dump` and failed expectations.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The description.
  public var debugDescription: String { description }
  /// Nothing of the value.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
