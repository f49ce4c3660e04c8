public import ControlAPI
import HTTPTransfer
import Jobs
import Messages

/// A job as the fleet's table has it.
public struct MirrorRow: Hashable, Sendable {
  let number: Int64
  let revision: Int64
  /// The row as an object of JSON, whose members are the columns. A column without a member is NULL.
  private let json: String

  /// The most characters of a reason: an entry of an index has room for 2,700 bytes.
  static let longestReason = 240

  /// The columns, beside the ledger and the owner, with their types.
  private static let types: [(String, String)] = [
    ("number", "bigint"), ("id", "uuid"), ("revision", "bigint"), ("spool", "text"), ("name", "text"), ("path", "text"),
    ("size", "bigint"), ("step", "text"), ("state", "text"), ("destination", "text"), ("attempt", "int"),
    ("question", "text"), ("question_said", "text"), ("error_kind", "text"), ("error_status", "int"),
    ("error_code", "text"), ("error_message", "text"), ("error_said", "text"), ("reason", "text"),
    ("next_attempt_at", "timestamptz"), ("link", "text"), ("released_to", "text"), ("released_by", "text"),
    ("created_at", "timestamptz"), ("updated_at", "timestamptz"), ("finished_at", "timestamptz"),
  ]
  /// The names of the columns in one order.
  static let columns = types.map { $0.0 }
  /// The columns with their types, for `json_to_recordset`.
  static let definition = types.map { "\($0.0) \($0.1)" }.joined(separator: ", ")

  /// Makes the row of a job.
  ///
  /// - Parameter names: false leaves out everything that may show what the file is.
  public init(_ job: JobMessage, names: Bool = true) {
    number = job.job
    revision = job.revision
    var text = JSONText()
    text.object { text in
      text.member("number", job.job)
      text.member("id", job.id)
      text.member("revision", job.revision)
      text.member("spool", job.spool.storable)
      text.member("size", job.size)
      text.member("step", job.step.rawValue)
      text.member("state", job.state.rawValue)
      text.member("destination", job.destination?.storable)
      text.member("attempt", Int64(job.attempt))
      text.member("error_kind", job.error?.kind.rawValue)
      text.member("error_status", job.error?.status.map { Int64($0) })
      text.member("next_attempt_at", job.nextAttemptAt)
      text.member("released_by", job.released?.by.user.storable)
      text.member("created_at", job.createdAt)
      text.member("updated_at", job.updatedAt)
      text.member("finished_at", job.finishedAt)
      guard names else { return }
      text.member("name", job.name.storable)
      text.member("path", job.path?.storable)
      text.member("question", job.question?.storable)
      text.member("question_said", job.questionSaid?.storable)
      // the server's own code, which may be any text
      text.member("error_code", job.error?.code?.storable)
      text.member("error_message", job.error?.message.storable)
      text.member("error_said", job.error?.messageSaid?.storable)
      // the part of the reason that jobs of one group share
      text.member("reason", ReasonKey.shared(job).map { String($0.prefix(Self.longestReason)).storable })
      text.member("link", job.link?.storable)
      text.member("released_to", job.released?.to.storable)
    }
    json = String(decoding: text.bytes, as: UTF8.self)
  }

  /// Rows as an array of JSON.
  static func json(_ rows: [MirrorRow]) -> String { "[" + rows.map(\.json).joined(separator: ",") + "]" }
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
