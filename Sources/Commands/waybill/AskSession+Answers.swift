import CommandParts
import ControlAPI
import Jobs
import Linux
import Messages

extension AskSession {
  /// Carries out a key; returns nil if the question is to be asked again.
  mutating func act(_ key: Character, on job: JobMessage) async throws -> Turn? {
    switch key {
    case "r", "R", "y", "Y":
      return try await answer(.confirm(), job)
    case "c", "C", "n", "N":
      switch try await person.line("Reason (Enter for none): ") {
      case .line(let bytes):
        let reason = String(decoding: bytes, as: UTF8.self).trimmed
        return try await answer(.cancel(reason: reason.isEmpty ? nil : reason), job)
      case .signal(let number): return ended(by: number)
      default: return unanswered()
      }
    case "l", "L":
      guard job.step == .upload else {
        say("The file is already uploaded. Its link is \(DisplayText.escape(job.link ?? "")).")
        return nil
      }
      switch try await person.line("Link (Enter for none): ") {
      case .line(let bytes):
        let link = String(decoding: bytes, as: UTF8.self).trimmed
        if link.isEmpty { return unanswered() }
        return try await answer(.confirm(link: link), job)
      case .signal(let number): return ended(by: number)
      default: return unanswered()
      }
    case "a", "A":
      return try await askAll(like: job)
    case "s", "S":
      questions.putOff(job)
      return .next
    case "q", "Q": return .end(.quit)
    default:
      for line in Self.help { say(line, indent: 5) }
      person.write("\n")
      return nil
    }
  }

  func ended(by signal: Int32) -> Turn {
    person.write("\n")
    return .end(.signal(signal))
  }

  private func unanswered() -> Turn? {
    person.write("\nThe question stays open.\n")
    return nil
  }

  /// Answers the question that the person has seen, and no newer one; returns nil if the question is to be asked again.
  private func answer(_ command: JobCommand, _ job: JobMessage) async throws -> Turn? {
    do throws(ControlError) {
      let answer = try await client.carryOut(command, on: job.reference, revision: job.revision)
      say(DisplayText.escape(answer.message.text))
      return .next
    } catch .problem(let problem) {
      say(problem.inWords, .attention)
      switch problem.status {
      case 404, 409: return .next
      // The input is not accepted: the question is as open as before.
      case 400, 413, 422: return nil
      default: throw CommandFailure(.problem(problem))
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  private static let help = [
    "  r  retry (y too): try the failed step again now",
    "  c  cancel (n too): the job stops; its file is kept, and waybill retry starts the job again",
    "  l  use this link: enter a link instead of the upload, and go on with the registration",
    "  a  all like this: give one answer to all questions of this kind",
    "  s  skip: the question stays open",
    "  q  quit: the remaining questions stay open",
  ]
}

extension String {
  /// The text without the white space around it.
  var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
