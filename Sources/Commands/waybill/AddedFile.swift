import ControlAPI
import Jobs
import Messages

/// The result for one file that was to be added.
struct AddedFile: Encodable {
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

  enum CodingKeys: String, CodingKey { case file, name, spool, id, job, error }

  /// Writes every member; missing values are null.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(file, forKey: .file)
    try container.encode(fileName.text, forKey: .name)
    try container.encode(spool, forKey: .spool)
    try container.encode(dropped?.id.description, forKey: .id)
    try container.encode(job, forKey: .job)
    try container.encode(error, forKey: .error)
  }
}
