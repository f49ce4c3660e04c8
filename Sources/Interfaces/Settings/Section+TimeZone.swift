import Linux

/// Time zones, by the names of the system's time zone database (tz).
extension Section {
  /// The directory of that database.
  private static let database = "/usr/share/zoneinfo"
  /// The largest file that is read; those of the database have a few kilobytes.
  private static let largest = 1 << 18

  /// Returns the name of a time zone that the C library can use; nil if the key is missing or a problem was reported.
  mutating func timeZone(_ key: String) -> String? {
    guard let name = text(key, example: "\"Europe/Berlin\"") else { return nil }
    if name == "UTC" { return name }
    let remedy = "write a name like \"Europe/Berlin\"; timedatectl list-timezones shows them all"
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard name.utf8.count <= 255, parts.allSatisfy({ Self.isZonePart($0) }) else {
      problem(key, "\(Quoted(name)) is not a time zone", remedy)
      return nil
    }
    if parts.first == "right" {
      problem(key, "the time zone \(Quoted(name)) counts leap seconds, which the system's clock does not", remedy)
      return nil
    }
    do throws(FileError) {
      // A file of RFC 8536. The C library takes any other one for UTC.
      guard try readSmallFile(path: Self.database + "/" + name, limit: Self.largest).starts(with: "TZif".utf8) else {
        problem(key, "\(Quoted(name)) is not a time zone", remedy)
        return nil
      }
      return name
    } catch {
      problem(
        key, "the time zone \(Quoted(name)) cannot be read: \(error.words)",
        "\(remedy). The package tzdata has them", mayPass: error.mayPass)
      return nil
    }
  }

  private static func isZonePart(_ part: Substring) -> Bool {
    !part.isEmpty && part.utf8.allSatisfy { NameText.isLetterOrDigit($0) || "_+-".utf8.contains($0) }
  }
}
