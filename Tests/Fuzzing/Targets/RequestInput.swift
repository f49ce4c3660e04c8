import ControlAPI
import ControlServer
import HTTPTypes
import Jobs
import Messages

/// A request on the control socket is understood or refused in words; what was understood can be said again.
///
/// An input is `METHOD TARGET`, a line end, and the body.
enum RequestInput {
  private static let now = Timestamp(year: 2026, month: 11, day: 21)

  static func take(_ bytes: [UInt8]) {
    let halves = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let line = String(decoding: halves[0], as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let body = halves.count > 1 ? Array(halves[1]) : []
    guard words.count == 2, let method = HTTPRequest.Method(rawValue: String(words[0])) else { return }
    let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: String(words[1]))
    do {
      switch try ControlRoute(request) {
      case .jobs(let query): try list(query)
      case .log(let query): _ = try LogQuery(parsing: query, now: now)
      case .events(let query): _ = try EventQuery(lastEventID: nil, query: query, now: now)
      case .command(let name, _): _ = try CommandBody(parsing: body, for: name)
      case .commandMany(let name): try many(body, name)
      case .pause, .resume: _ = try PauseBody(parsing: body)
      default: return
      }
    } catch let problem as ProblemDocument {
      promiseIsShowable(problem.detail?.text ?? "")
    } catch {
      // refused in words: the handlers make a problem document of them
    }
  }

  private static func list(_ text: String) throws {
    let query = try ListQuery(parsing: text, now: now)
    promise(ListQuery.limits.contains(query.limit), "a page of \(query.limit) jobs")
    let again = try? ListQuery(parsing: query.text, now: now)
    promise(again?.text == query.text, "\(query.text) is not read as it was written")
  }

  private static func many(_ body: [UInt8], _ name: JobCommand.Name) throws {
    let read = try BulkBody(parsing: body, for: name, now: now)
    let again = try? BulkBody(parsing: read.json, for: name, now: now)
    promise(again.map { "\($0)" } != nil, "a body for many that cannot be read again")
  }
}
