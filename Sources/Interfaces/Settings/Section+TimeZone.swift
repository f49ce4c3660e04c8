import Jobs
import Linux

/// Time zones, by the names of the system's time zone database (tz).
extension Section {
  /// The directory of that database.
  private static let database = "/usr/share/zoneinfo"
  /// The largest file that is read; those of the database have a few kilobytes.
  private static let largest = 1 << 18

  /// Returns a time zone; nil if the key is missing or a problem was reported.
  mutating func timeZone(_ key: String) -> TimeZoneRules? {
    guard let name = text(key, example: "\"Europe/Berlin\"") else { return nil }
    if name == "UTC" { return .utc }
    let remedy = "write a name like \"Europe/Berlin\"; timedatectl list-timezones shows them all"
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard name.utf8.count <= 255, parts.allSatisfy({ Self.isZonePart($0) }) else {
      problem(key, "\(Quoted(name)) is not a time zone", remedy)
      return nil
    }
    do throws(FileError) {
      let bytes = try readSmallFile(path: Self.database + "/" + name, limit: Self.largest)
      return try rules(key, name, bytes)
    } catch {
      problem(
        key, "the time zone \(Quoted(name)) cannot be read: \(error.words)",
        "\(remedy). The package tzdata has them", mayPass: error.mayPass)
      return nil
    }
  }

  private func rules(_ key: String, _ name: String, _ bytes: [UInt8]) throws(FileError) -> TimeZoneRules? {
    do throws(TimeZoneRules.Fault) {
      return try TimeZoneRules(name: name, tzif: bytes)
    } catch {
      let words =
        switch error {
        case .notTZif: "is not a file of time zone data"
        case .leapSeconds: "counts leap seconds, which the system's clock does not"
        case .rule(let text): "has a rule that is not understood: \(DisplayText.escape(text))"
        }
      problem(key, "the time zone \(Quoted(name)) cannot be used: \(Self.database)/\(name) \(words)")
      return nil
    }
  }

  private static func isZonePart(_ part: Substring) -> Bool {
    !part.isEmpty && part.utf8.allSatisfy { NameText.isLetterOrDigit($0) || "_+-".utf8.contains($0) }
  }
}
