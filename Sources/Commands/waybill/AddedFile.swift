import ControlAPI
import Jobs
import Messages

/// The result for one file that was to be added.
struct AddedFile {
  /// The file as the caller named it.
  let file: String
  /// Its name in the spool.
  let fileName: FileName
  /// The spool's name.
  let spool: String
  /// The file in the spool, once it is there.
  var dropped: SpoolDrop.Dropped?
  /// The job, once it has ended or asks a question.
  var job: JobMessage?
  /// The reason why it was not added, or did not end in a registration; nil if all is well.
  var error: String?

  /// The result in a sentence for people.
  var sentence: String {
    guard let job else { return "\(fileName.shown) added to \(DisplayText.escape(spool))" }
    return (job.state == .skipped ? Sentences.skipped(fileName, as: job.sameAs) : Sentences.registered(fileName)).text
  }

  /// Writes every member; missing values are null.
  func write(into text: inout JSONText) {
    text.object { text in
      text.member("error", error)
      text.member("file", file)
      text.member("id", dropped?.id.description)
      text.member("job", value: job)
      text.member("name", fileName.text)
      text.member("spool", spool)
    }
  }
}
