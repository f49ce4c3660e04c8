import Glibc

/// The destination of entries: the journal, with their fields, standard error, as text, or both, but nothing twice in the same
/// journal.
struct JournalOutput: Equatable {
  /// Native entries to journald's socket.
  var native: Bool
  /// The form of lines on standard error; nil for none.
  var text: TextForm?

  /// The form for an entry that journald refuses.
  var fallback: TextForm

  /// The form of a line of text.
  enum TextForm: Equatable {
    /// For a terminal or a file, with the time and the name of the priority.
    case people
    /// For a stream to journald, which adds the time and reads the priority from `<N>` (sd-daemon(3)).
    case stream
    /// A line of JSON with all fields, for programs that collect the output of containers.
    case json
  }

  /// Only lines of JSON on standard error.
  static let json = JournalOutput(native: false, text: .json, fallback: .json)
}

extension JournalOutput {
  /// Chooses the output for the given environment.
  init(journalListens: Bool, terminal: Bool, journalStream: Bool) {
    native = journalListens
    fallback = journalStream ? .stream : .people
    text = journalListens && (journalStream || !terminal) ? nil : fallback
  }

  /// Returns true if a descriptor is the stream in `$JOURNAL_STREAM` (`DEVICE:INODE`, systemd.exec(5)).
  static func leads(_ descriptor: Int32, to journalStream: String?) -> Bool {
    guard let journalStream else { return false }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { return false }
    return journalStream == "\(facts.st_dev):\(facts.st_ino)"
  }
}
