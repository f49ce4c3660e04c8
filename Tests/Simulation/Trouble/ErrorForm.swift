import Jobs
import XML

/// The form in which a server, or a balancer before it, says that it refuses a request.
struct ErrorForm {
  /// True for S3's XML, false for a problem document.
  var isStorage: Bool
  var wall: Timestamp

  var refusedKey: FarAnswer {
    isStorage ? answer(403, .absent, code: "InvalidAccessKeyId") : answer(401, .absent)
  }

  func answer(_ status: Int, _ wait: Condition.Wait, code: String? = nil) -> FarAnswer {
    var answer =
      isStorage
      ? S3Error(status, code ?? S3Error.usualCode(status), "The simulation has it so.").answer
      : FarAnswer(status, type: "application/problem+json", #"{"title":"refused","status":\#(status)}"#)
    switch wait {
    case .absent: break
    case .seconds(let seconds): answer.headers.append(FarHeader("Retry-After", String(seconds)))
    case .date(let seconds):
      answer.headers.append(FarHeader("Retry-After", HTTPDateText.text(wall + .seconds(seconds))))
    }
    return answer
  }
}

/// A date in an HTTP header (RFC 9110, 5.6.7).
enum HTTPDateText {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  static func text(_ time: Timestamp) -> String {
    // 2026-11-25T10:11:12Z; the first of January 1970 was a Thursday.
    let parts = time.rfc3339.split { "-T:Z.".contains($0) }
    let day = Int(time.microseconds / 86_400_000_000) % 7
    let month = months[(Int(parts[1]) ?? 1) - 1]
    let clock = "\(parts[3]):\(parts[4]):\(parts[5].prefix(2))"
    return "\(days[day]), \(parts[2]) \(month) \(parts[0]) \(clock) GMT"
  }
}
