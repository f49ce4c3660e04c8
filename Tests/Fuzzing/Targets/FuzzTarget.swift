/// Everything that reads bytes from outside, each behind one door for a fuzzer.
///
/// A target ends the process when what it is given breaks a promise; else it returns, whatever the bytes are.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case configuration
  case profile
  /// The sections of a file that has keys: AWS's, rclone's, s3cmd's.
  case ini
  /// A request on the control socket: its target and its body.
  case request
  /// What the command reads of the daemon: a stream of events.
  case events
  case documents
  /// The storage's answer: status line, header fields and body.
  case storage
  /// The backend's answer in the same form.
  case backend
  /// Templates of keys, links and fields, with the names that go into them.
  case templates
  /// Names in `.waybill`, and names as people see them.
  case names
  case values
  case mediatypes
  case sidecar
  case expressions

  /// Takes one input.
  public func take(_ bytes: [UInt8]) {
    switch self {
    case .configuration: ConfigurationInput.take(bytes)
    case .profile: ProfileInput.take(bytes)
    case .ini: INIInput.take(bytes)
    case .request: RequestInput.take(bytes)
    case .events: EventsInput.take(bytes)
    case .documents: DocumentsInput.take(bytes)
    case .storage: StorageInput.take(bytes)
    case .backend: BackendInput.take(bytes)
    case .templates: TemplatesInput.take(bytes)
    case .names: NamesInput.take(bytes)
    case .values: ValuesInput.take(bytes)
    case .mediatypes: MediaTypesInput.take(bytes)
    case .sidecar: SidecarInput.take(bytes)
    case .expressions: ExpressionsInput.take(bytes)
    }
  }
}

/// Ends the process where a promise is broken.
func promise(
  _ isKept: Bool, _ words: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !isKept { fatalError("broken: \(words())", file: file, line: line) }
}

/// Ends the process where a text for people could move a cursor, end a line or turn the writing round.
func promiseIsShowable(_ text: String, file: StaticString = #fileID, line: UInt = #line) {
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator:
      fatalError("broken: U+\(String(scalar.value, radix: 16)) in a text for people: \(text)", file: file, line: line)
    default: continue
    }
  }
}
