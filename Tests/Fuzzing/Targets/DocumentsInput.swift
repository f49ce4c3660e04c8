import ControlAPI
import Messages

/// What can be read of the daemon's answers can be written again, and says the same.
enum DocumentsInput {
  static func take(_ bytes: [UInt8]) {
    check(JobPage.self, bytes)
    check(JobDetailMessage.self, bytes)
    check(StatusMessage.self, bytes)
    check(CommandAnswer.self, bytes)
    check(EventMessage.self, bytes)
    check(ProblemDocument.self, bytes)
    check(CredentialList.self, bytes)
    check(ReloadAnswer.self, bytes)
  }

  private static func check<Answer: JSONMessage>(_ type: Answer.Type, _ bytes: [UInt8]) {
    guard let message = try? type.init(bytes: bytes) else { return }
    let written = message.json(texts: .coded)
    guard let again = try? type.init(bytes: written) else {
      return promise(false, "a \(type) that cannot be written and read again")
    }
    promise(written == again.json(texts: .coded), "a \(type) that changes when it is written and read")
  }
}
