import FoundationEssentials
import Glibc
package import Jobs
import Linux
package import Messages

/// The time zone of the person at the terminal: times are shown in it, and dates that are typed mean days in it.
package enum TimeDisplay {
  /// The zone of dates on the command line. It is the same in a pipe, so that the same words mean the same; `--utc` makes it UTC.
  package static let typed = isUTC ? .utc : local

  /// The zone of the times that are shown: at a terminal that of the person, in a pipe and with `--utc` UTC.
  package static let shown = isatty(STDOUT_FILENO) == 1 ? typed : .utc

  /// True if the option is given. A date may stand before it, so the arguments are looked at as they are.
  private static let isUTC = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--utc")

  /// The person's zone: that of `TZ`, else the system's; UTC if neither can be read.
  private static var local: TimeZoneRules {
    // Ignored: without the file, times are shown in UTC.
    rules(of: ProcessInfo.processInfo.environment["TZ"]) { try? readSmallFile(path: $0, limit: 1 << 20) }
  }

  /// Returns the rules that a value of `TZ` names (tzset(3), a file with or without a colon), or those of the system if it is absent.
  package static func rules(of variable: String?, read: (String) -> [UInt8]?) -> TimeZoneRules {
    let name = variable.map { String($0.drop { $0 == ":" }) }
    if name?.isEmpty == true { return .utc }
    let path = name.map { $0.hasPrefix("/") ? $0 : "/usr/share/zoneinfo/" + $0 } ?? "/etc/localtime"
    // Ignored: a zone that cannot be read is no reason to show nothing.
    guard let bytes = read(path), let rules = try? TimeZoneRules(name: name ?? "local", tzif: bytes) else {
      return .utc
    }
    // A machine whose zone is UTC under another name, as most servers, shows times as they are.
    let longAgo: Int64 = -10_000_000_000
    return rules.nextTransition(after: longAgo) == nil && rules.offset(at: longAgo) == 0 ? .utc : rules
  }

  /// Returns a time in RFC 3339 with the offset of a zone, such as `2026-11-21T02:02:03+01:00`; with `Z` in UTC. It can be given to
  /// `--since` as it is.
  package static func text(_ time: Timestamp, in zone: TimeZoneRules) -> String {
    let offset = zone == .utc ? 0 : zone.offset(at: time.wholeSeconds)
    // Local mean times of the 19th century have seconds, which RFC 3339 cannot say.
    guard zone != .utc, offset % 60 == 0 else { return time.rfc3339 }
    let minutes = abs(offset) / 60
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return (time + .seconds(offset)).rfc3339.dropLast() + (offset < 0 ? "-" : "+") + two(minutes / 60) + ":"
      + two(minutes % 60)
  }
}

extension Message {
  /// The message for a person, with its times as the person's other times are shown.
  package var shown: String {
    text { time in Timestamp(rfc3339: time).map { Words.time($0) } ?? time }
  }
}
