import Glibc

/// The way of entries: to the journal with their fields, to standard error as text, or both, but no line twice.
struct JournalOutput: Equatable {
  /// Native entries to journald's socket.
  var native: Bool
  /// Lines of text on standard error.
  var text: TextForm?

  /// The text for an entry that journald refused.
  var fallback: TextForm

  /// The form of a line of text.
  enum TextForm: Equatable {
    /// For a terminal or a file: with the time and the priority's word.
    case people
    /// Standard error is a stream to journald, which knows the time and reads the priority from `<N>` (sd-daemon(3)).
    case stream
    /// A line of JSON with all fields, for programs that gather what containers say.
    case json
  }

  /// Lines of JSON, and nothing else: whoever wants them reads standard error.
  static let json = JournalOutput(native: false, text: .json, fallback: .json)

  private init(native: Bool, text: TextForm?, fallback: TextForm) {
    self.native = native
    self.text = text
    self.fallback = fallback
  }

  /// Decides from what is there.
  init(journalListens: Bool, terminal: Bool, journalStream: Bool) {
    native = journalListens
    fallback = journalStream ? .stream : .people
    switch (journalListens, terminal, journalStream) {
    case (true, _, true): text = nil
    case (true, true, false): text = .people
    case (true, false, false): text = nil
    case (false, _, true): text = .stream
    case (false, _, false): text = .people
    }
  }

  /// Returns true if a descriptor is the stream that `$JOURNAL_STREAM` (`DEVICE:INODE`, systemd.exec(5)) names.
  static func leads(_ descriptor: Int32, to journalStream: String?) -> Bool {
    guard let journalStream else { return false }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { return false }
    return journalStream == "\(facts.st_dev):\(facts.st_ino)"
  }
}
