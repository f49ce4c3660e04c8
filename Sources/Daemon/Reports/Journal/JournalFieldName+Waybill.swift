import SystemdLink

/// The fields of Waybill's own, as waybilld(8) documents them. They stand here, and not as literals where they are used, because a
/// literal is validated each time, and an entry has a dozen.
extension JournalFieldName {
  static let activity: JournalFieldName = "WAYBILL_ACTIVITY"
  static let attempt: JournalFieldName = "WAYBILL_ATTEMPT"
  static let bytes: JournalFieldName = "WAYBILL_BYTES"
  static let byUID: JournalFieldName = "WAYBILL_BY_UID"
  static let byUser: JournalFieldName = "WAYBILL_BY_USER"
  static let count: JournalFieldName = "WAYBILL_COUNT"
  static let destination: JournalFieldName = "WAYBILL_DESTINATION"
  static let sameAs: JournalFieldName = "WAYBILL_SAME_AS"
  static let durationMicroseconds: JournalFieldName = "WAYBILL_DURATION_USEC"
  static let errorCode: JournalFieldName = "WAYBILL_ERROR_CODE"
  static let errorKind: JournalFieldName = "WAYBILL_ERROR_KIND"
  static let event: JournalFieldName = "WAYBILL_EVENT"
  static let file: JournalFieldName = "WAYBILL_FILE"
  static let httpStatus: JournalFieldName = "WAYBILL_HTTP_STATUS"
  static let id: JournalFieldName = "WAYBILL_ID"
  static let job: JournalFieldName = "WAYBILL_JOB"
  static let link: JournalFieldName = "WAYBILL_LINK"
  static let messageArguments: JournalFieldName = "WAYBILL_MESSAGE_ARGUMENTS"
  static let messageCode: JournalFieldName = "WAYBILL_MESSAGE_CODE"
  static let nextAttempt: JournalFieldName = "WAYBILL_NEXT_ATTEMPT"
  static let reason: JournalFieldName = "WAYBILL_REASON"
  static let registrations: JournalFieldName = "WAYBILL_REGISTRATIONS"
  static let spool: JournalFieldName = "WAYBILL_SPOOL"
  static let step: JournalFieldName = "WAYBILL_STEP"
  static let traceID: JournalFieldName = "WAYBILL_TRACE_ID"
  static let until: JournalFieldName = "WAYBILL_UNTIL"
  static let uploads: JournalFieldName = "WAYBILL_UPLOADS"
  static let version: JournalFieldName = "WAYBILL_VERSION"
}
