import ControlAPI
import Jobs
import Messages

/// The result for one file that was to be added.
struct AddedFile: Encodable {
  /// The file as the caller named it.
  var file: String
  /// Its name in the spool.
  let fileName: FileName
  /// The spool's name.
  var spool: String
  /// The file in the spool, once it is there.
  var dropped: SpoolDrop.Dropped?
  /// The other file of its pair, if it is not there yet, in words to follow the name.
  var waitsFor: String?
  /// The job, once it has ended or asks a question.
  var job: JobMessage?
  /// The reason why it was not added, or did not end in a registration; nil if all is well.
  var error: String?

  init(file: String, name: FileName, spool: String) {
    self.file = file
    self.fileName = name
    self.spool = spool
  }

  /// Its name in the spool, as the kernel knows it.
  var nameBytes: [UInt8] { fileName.bytes }

  /// The result in a sentence for people.
  var sentence: String {
    if let job {
      let isSkipped = job.state == .skipped
      return isSkipped ? Sentences.skipped(fileName, as: job.sameAs).text : Sentences.registered(fileName).text
    }
    return "\(fileName.shown) added to \(DisplayText.escape(spool))" + (waitsFor.map { "; it waits for \($0)" } ?? "")
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

/// The output of `add --json`.
struct AddedFiles: Encodable {
  var added: [AddedFile]
}
