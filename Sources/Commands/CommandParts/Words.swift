package import Jobs
import Linux
import Messages

package enum Words {
  /// `1 job`, `2 jobs`, `1,026 jobs`.
  package static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(grouped(number)) \(number == 1 ? one : many)"
  }

  /// `1,026`.
  package static func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    for place in stride(from: digits.count - 3, to: number < 0 ? 1 : 0, by: -3) { digits.insert(",", at: place) }
    return String(digits)
  }

  /// The name of a user, as a daemon or a host has it. One without a name is shown as `user 1000`.
  package static func user(_ name: String) -> String {
    !name.isEmpty && name.allSatisfy { $0.isASCII && $0.isNumber } ? "user \(name)" : DisplayText.escape(name)
  }

  /// The age of something, in its two largest units: `5s`, `3min 2s`, `2h 10min`, `4d 1h`.
  package static func age(_ span: Duration) -> String {
    let seconds = max(0, span.wholeSeconds)
    let parts: [(Int64, String)] = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    let told = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
    return told.isEmpty ? "0s" : told.map { "\($0.0)\($0.1)" }.joined(separator: " ")
  }

  /// A time to the second, in the zone of who reads it.
  package static func time(_ time: Timestamp) -> String {
    TimeDisplay.text(time, ahead: TimeDisplay.shown.offset(at: time.wholeSeconds))
  }

  /// Bytes in the units of IEC 80000-13.
  package static func bytes(_ count: Int64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    var value = Double(count)
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    guard unit > 0 else { return "\(count) B" }
    let tenths = Int64((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}

extension JobState {
  package var style: Terminal.Style {
    switch self {
    case .queued, .active: .plain
    case .registered: .good
    case .deferred, .awaitingCredentials, .awaitingNetwork: .attention
    case .awaitingConfirmation: .attention
    case .aborted: .bad
    case .skipped, .cancelled, .discarded: .faint
    }
  }
}
