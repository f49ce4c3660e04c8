package import ControlAPI
import Jobs

extension JobMessage {
  /// The name by which a person means the job, for a terminal.
  package var shownReference: String { DisplayText.escape("\(reference)") }
}
