import ArgumentParser
import CommandParts
import Linux

/// The person who answers the questions of a setup.
struct Asker: Sendable {
  let person: Person
  let signals: CaughtSignals

  /// Prepares the terminal, and catches the signals that would leave it changed.
  init() throws(CommandFailure) {
    do {
      signals = try CaughtSignals()
      person = Person(
        keys: try TerminalKeys(signals: signals), thread: try WorkerThreads(count: 1, name: "waybill-keys"))
    } catch {
      throw CommandFailure(status: .failure, words: "\(error)")
    }
  }

  var dialog: InitDialog { InitDialog(read: { try await answer($0, $1) }, say: { Output.folded($0) }) }

  /// Reads a line from the person. A signal ends the process, with the terminal as it was.
  func answer(_ prompt: String, _ isHidden: Bool) async throws -> String {
    switch try await person.line(prompt, isHidden: isHidden) {
    case .line(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .signal(let number): end(by: number)
    default: break
    }
    throw CommandFailure(status: .failure, words: "nothing was changed: the input has ended")
  }

  /// Ends the process by a signal that comes while nothing is asked.
  func watch() async {
    while !Task.isCancelled {
      if let number = signals.next() { end(by: number) }
      // Ignored: a cancelled sleep ends the loop.
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  private func end(by number: Int32) {
    SetupTrial.remove()
    person.keys.restore()
    person.write("\n")
    signals.letThrough(number)
  }
}
