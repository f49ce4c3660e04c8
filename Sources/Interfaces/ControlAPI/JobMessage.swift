import FoundationEssentials
public import Jobs
public import Messages

/// A job in the form for lists, answers and events.
public struct JobMessage: Hashable, Sendable, Codable {
  /// The number that people use for the job.
  public var job: Int64
  /// The identity for machines.
  public var id: String
  /// A number that grows with every change; a command may carry it.
  public var revision: Int64
  /// The spool that the file was dropped into.
  public var spool: String
  /// The file's name, with `\xHH` for each byte that is not UTF-8.
  public var name: String
  /// The name's bytes in base64, if they are not UTF-8.
  @Nullable public var nameBase64: String?
  /// The path of the bytes; nil once they are disposed of.
  @Nullable public var path: String?
  /// The length of the file in bytes.
  public var size: Int64
  /// The number of files of a group, without its marker, counted when it was claimed; nil for a document.
  @Nullable public var groupFiles: Int?
  /// The step that is to be done next; of a job that has ended, the last step that it reached.
  public var step: Step
  /// The state of the job.
  public var state: JobState { didSet { phase = state.phase } }
  /// The state in one of five words, for people.
  public internal(set) var phase: JobPhase
  /// The destination of the step, e.g. `storage.main`.
  @Nullable public var destination: String?
  /// The hold on the job while it is queued.
  @Nullable public var heldBy: HoldMessage?
  /// The count, over the job's life, of the try that is in flight or was the last one.
  public var attempt: Int
  /// The question to the operator.
  @Nullable public var question: String?
  /// The code and the arguments of ``question``; nil for words that have none.
  @Nullable public var questionSaid: Message?
  /// The reason why the last attempt failed.
  @Nullable public var error: ErrorMessage?
  /// The time at which it is tried again by itself.
  @Nullable public var nextAttemptAt: MessageTime?
  /// The link to the object, from step 1.
  @Nullable public var link: String?
  /// The number of the earlier job that sent the same bytes; nil unless the job is skipped.
  @Nullable public var sameAs: Int64?
  /// The state of the storage after a cancel; nil if the job was not cancelled or nothing of it was ever sent.
  @Nullable public var remote: Remote?
  /// The place that the file of a released job went to; nil for every other job, also for one whose file was deleted.
  @Nullable public var released: Released?
  /// The time at which it was admitted.
  public var createdAt: MessageTime
  /// The time of the last change.
  public var updatedAt: MessageTime
  /// The time at which it reached a terminal state.
  @Nullable public var finishedAt: MessageTime?
  /// The time at which the file was disposed of.
  @Nullable public var disposedAt: MessageTime?

  /// The end of a job whose file was given back.
  public struct Released: Hashable, Sendable, Codable {
    /// The directory that has the file.
    public var to: String
    /// The person who asked for it.
    public var by: CallerMessage

    /// Creates the message of a release.
    public init(_ release: Release) {
      to = release.to
      by = CallerMessage(release.by)
    }
  }

  enum CodingKeys: String, CodingKey {
    case job, id, revision, spool, name, path, size, step, state, phase, destination, attempt, question, error, link,
      remote
    case sameAs = "same_as"
    case released
    case nameBase64 = "name_base64"
    case questionSaid = "question_said"
    case groupFiles = "group_files"
    case heldBy = "held_by"
    case nextAttemptAt = "next_attempt_at"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case finishedAt = "finished_at"
    case disposedAt = "disposed_at"
  }

  /// Creates the message of a job.
  ///
  /// - Parameters:
  ///   - path: the path of the bytes, nil once they are disposed of.
  ///   - heldBy: the hold on the job while it is queued.
  ///   - clockOffset: the difference from the steady clock to the wall-clock time.
  public init(_ job: Job, path: String?, heldBy: HoldMessage?, clockOffset: Duration = .zero) {
    self.job = job.number.rawValue
    self.id = job.ticket.id.description
    self.revision = job.revision
    self.spool = job.ticket.spool
    self.name = job.ticket.name.text
    self.nameBase64 = job.ticket.name.isUTF8 ? nil : Data(job.ticket.name.bytes).base64EncodedString()
    self.path = path
    self.size = job.identity.size
    self.groupFiles = job.ticket.parcel.group?.files
    self.step = job.step
    self.state = job.state
    self.phase = job.state.phase
    self.destination = job.destination.text
    self.heldBy = heldBy
    self.attempt = job.attempt
    self.question = job.question?.text
    self.questionSaid = job.question?.message.coded
    self.error = job.failure.map(ErrorMessage.init)
    self.nextAttemptAt = MessageTime(job.nextAttemptAt.map { $0 + clockOffset })
    self.link = job.link?.link
    self.sameAs = job.recognized?.job.rawValue
    self.remote = job.remote
    self.released = job.state == .discarded ? job.release.map(Released.init) : nil
    self.createdAt = MessageTime(job.ticket.createdAt)
    self.updatedAt = MessageTime(job.updatedAt)
    self.finishedAt = MessageTime(job.finishedAt)
    self.disposedAt = MessageTime(job.disposedAt)
  }
}
