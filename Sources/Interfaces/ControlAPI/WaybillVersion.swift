/// The version of daemon and command, which are built and shipped together.
public enum WaybillVersion {
  /// The version by the rules of semantic versioning (semver.org).
  public static let current = "1.0.0"
}
