public import ControlAPI
import HTTPTransfer
import Jobs
import Messages

/// A job as the fleet's table has it.
public struct MirrorRow: Hashable, Sendable {
  var number: Int64
  var id: String
  var revision: Int64
  var spool: String
  var name: String?
  var path: String?
  var size: Int64
  var step: String
  var state: String
  var destination: String?
  var attempt: Int
  var question: String?
  var questionSaid: String?
  var errorKind: String?
  var errorStatus: Int?
  var errorCode: String?
  var errorMessage: String?
  var errorSaid: String?
  /// The part of the reason that jobs of one group share.
  var reason: String?
  var nextAttemptAt: MessageTime?
  var link: String?
  /// The directory that a released file went to.
  var releasedTo: String?
  /// The user who had it released.
  var releasedBy: String?
  var createdAt: MessageTime
  var updatedAt: MessageTime
  var finishedAt: MessageTime?

  /// The most characters of a reason: an entry of an index has room for 2,700 bytes.
  static let longestReason = 240

  /// The columns; the raw values are their names.
  public enum Column: String, CaseIterable {
    case number, id, revision, spool, name, path, size, step, state, destination, attempt, question, link, reason
    case errorKind = "error_kind"
    case errorStatus = "error_status"
    case errorCode = "error_code"
    case errorMessage = "error_message"
    case releasedTo = "released_to"
    case releasedBy = "released_by"
    case questionSaid = "question_said"
    case errorSaid = "error_said"
    case nextAttemptAt = "next_attempt_at"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case finishedAt = "finished_at"

    /// The type of the column.
    var type: String {
      switch self {
      case .number, .revision, .size: "bigint"
      case .attempt, .errorStatus: "int"
      case .id: "uuid"
      case .nextAttemptAt, .createdAt, .updatedAt, .finishedAt: "timestamptz"
      case .spool, .name, .path, .step, .state, .destination, .question, .link, .errorKind, .errorCode, .errorMessage,
        .reason, .questionSaid, .errorSaid, .releasedTo, .releasedBy:
        "text"
      }
    }
  }

  /// Makes the row of a job.
  ///
  /// - Parameter names: false leaves out everything that may show what the file is.
  public init(_ job: JobMessage, names: Bool = true) {
    number = job.job
    id = job.id
    revision = job.revision
    spool = job.spool.storable
    name = names ? job.name.storable : nil
    path = names ? job.path?.storable : nil
    size = job.size
    step = job.step.rawValue
    state = job.state.rawValue
    destination = job.destination?.storable
    attempt = job.attempt
    question = names ? job.question?.storable : nil
    questionSaid = names ? job.questionSaid?.storable : nil
    errorKind = job.error?.kind.rawValue
    errorStatus = job.error?.status
    // the server's own code, which may be any text
    errorCode = names ? job.error?.code?.storable : nil
    errorMessage = names ? job.error?.message.storable : nil
    errorSaid = names ? job.error?.messageSaid?.storable : nil
    reason = names ? ReasonKey.shared(job).map { String($0.prefix(Self.longestReason)).storable } : nil
    nextAttemptAt = job.nextAttemptAt
    link = names ? job.link?.storable : nil
    releasedTo = names ? job.released?.to.storable : nil
    releasedBy = job.released?.by.user.storable
    createdAt = job.createdAt
    updatedAt = job.updatedAt
    finishedAt = job.finishedAt
  }
}

extension MirrorRow {
  /// Rows as an array of JSON: what is absent is NULL.
  static func json(_ rows: [MirrorRow]) -> String {
    var text = JSONText()
    text.array { text in for row in rows { text.object { row.write(into: &$0) } } }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private func write(into text: inout JSONText) {
    for column in Column.allCases {
      switch column {
      case .number: text.member("number", number)
      case .id: text.member("id", id)
      case .revision: text.member("revision", revision)
      case .spool: text.member("spool", spool)
      case .name: if let name { text.member("name", name) }
      case .path: if let path { text.member("path", path) }
      case .size: text.member("size", size)
      case .step: text.member("step", step)
      case .state: text.member("state", state)
      case .destination: if let destination { text.member("destination", destination) }
      case .attempt: text.member("attempt", Int64(attempt))
      case .question: if let question { text.member("question", question) }
      case .questionSaid: if let questionSaid { text.member("question_said", questionSaid) }
      case .errorSaid: if let errorSaid { text.member("error_said", errorSaid) }
      case .reason: if let reason { text.member("reason", reason) }
      case .errorKind: if let errorKind { text.member("error_kind", errorKind) }
      case .errorStatus: if let errorStatus { text.member("error_status", Int64(errorStatus)) }
      case .errorCode: if let errorCode { text.member("error_code", errorCode) }
      case .errorMessage: if let errorMessage { text.member("error_message", errorMessage) }
      case .nextAttemptAt: if let nextAttemptAt { text.member("next_attempt_at", nextAttemptAt) }
      case .link: if let link { text.member("link", link) }
      case .releasedTo: if let releasedTo { text.member("released_to", releasedTo) }
      case .releasedBy: if let releasedBy { text.member("released_by", releasedBy) }
      case .createdAt: text.member("created_at", createdAt)
      case .updatedAt: text.member("updated_at", updatedAt)
      case .finishedAt: if let finishedAt { text.member("finished_at", finishedAt) }
      }
    }
  }

  /// `a, b, …`: the columns in one order.
  static let columns = Column.allCases.map(\.rawValue).joined(separator: ", ")
  /// The columns with their types, for `json_to_recordset`.
  static let definition = Column.allCases.map { "\($0.rawValue) \($0.type)" }.joined(separator: ", ")
}

extension Message {
  /// The message as JSON that PostgreSQL stores.
  var storable: String { mapTexts(\.storable).json }
}

extension String {
  /// Returns the same text without NUL, which PostgreSQL cannot store.
  var storable: String {
    hasOnlyBytes { $0 != 0 } ? self : String(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) })
  }
}
