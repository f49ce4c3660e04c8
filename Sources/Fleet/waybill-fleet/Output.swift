import CommandParts
import FoundationEssentials
import Jobs

extension Output {
  /// The priorities of a line for the journal (sd-daemon(3)).
  enum Priority: Int { case warning = 4, info = 6 }

  /// Writes a line of a service: with its priority if it goes to the journal, which adds the program's name; otherwise like an
  /// error.
  static func log(_ priority: Priority, _ text: String) {
    let isJournal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil
    let line = DisplayText.escape(text)
    if isJournal { plainError("<\(priority.rawValue)>\(line)") } else { error(line) }
  }
}
