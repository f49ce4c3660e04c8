import Jobs
import Linux

/// The person at the terminal. Waiting for a person blocks a separate thread.
struct Person: Sendable {
  /// The person has ended the dialogue, by Ctrl-D or by a signal.
  struct Ended: Error {
    var signal: Int32?
  }

  private let signals: CaughtSignals
  private let keys: TerminalKeys
  private let thread: WorkerThreads

  /// True if there is one.
  static var isThere: Bool { TerminalKeys.isPossible }

  /// Prepares the terminal, and catches the signals that would leave it changed: every exit must call ``restore()``.
  ///
  /// - Parameter stops: true if the process may also be stopped (SIGTSTP).
  init(stops: Bool = false) throws {
    signals = try CaughtSignals(stops: stops)
    keys = try TerminalKeys(signals: signals)
    thread = try WorkerThreads(count: 1, name: "waybill-keys")
  }

  /// Shows a prompt (also after the program was stopped and continues), and returns the key that answers it, however long it takes.
  /// Earlier input does not answer it.
  ///
  /// - Parameter isOpen: called each second.
  /// - Returns: nil once `isOpen` has returned false.
  /// - Throws: ``Ended``, and what `isOpen` throws.
  func key(
    at prompt: () async -> String, while isOpen: () async throws -> Bool = { true }
  ) async throws -> Character? {
    var isShown = false
    while true {
      if !isShown {
        let text = await prompt()
        try await thread.run { [keys] in try keys.prepare() }
        write(text)
        isShown = true
      }
      switch try await thread.run({ [keys] in try keys.key(within: .seconds(1)) }) {
      case .signal(let number): throw ended(by: number)
      case .end: throw ended(by: nil)
      case .resumed: isShown = false
      case .line, .nothing: guard try await isOpen() else { return nil }
      case .key(let key):
        write("\(key.isWhitespace ? " " : DisplayText.escape(String(key)))\n")
        return key
      }
    }
  }

  /// Reads a line after a prompt; nil if the input ends. Asks again if the process was stopped in the meantime.
  ///
  /// - Throws: ``Ended`` after a signal.
  func line(_ prompt: String, isHidden: Bool = false) async throws -> String? {
    while true {
      switch try await thread.run({ [keys] in try keys.line(hidden: isHidden) { keys.write(prompt) } }) {
      case .line(let bytes): return String(decoding: bytes, as: UTF8.self).trimmed
      case .signal(let number): throw ended(by: number)
      case .resumed: continue
      case .key, .end, .nothing: return nil
      }
    }
  }

  private func ended(by signal: Int32?) -> Ended {
    write("\n")
    return Ended(signal: signal)
  }

  func write(_ text: String) { keys.write(text) }

  /// Restores the terminal's settings.
  func restore() { keys.restore() }

  /// Ends the process by a signal, with the terminal as it was.
  func end(by signal: Int32) {
    restore()
    signals.letThrough(signal)
  }

  /// Ends the process by a signal that comes while nothing is asked.
  ///
  /// - Parameter cleanUp: called before.
  func watch(_ cleanUp: @Sendable () -> Void = {}) async {
    while !Task.isCancelled {
      if let signal = signals.next() {
        cleanUp()
        write("\n")
        end(by: signal)
      }
      // Ignored: a cancelled sleep ends the loop.
      try? await Task.sleep(for: .milliseconds(50))
    }
  }
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
