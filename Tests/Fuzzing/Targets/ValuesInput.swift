import ControlAPI
import HTTPTransfer
import Jobs

/// Times, spans and encodings are read as they were written, or not at all.
enum ValuesInput {
  private static let now = Timestamp(year: 2026, month: 11, day: 21)

  static func take(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    promise(
      PercentEncoding.decoded(PercentEncoding.component(text)) == text, "the encoding of \(text.debugDescription)")
    _ = PercentEncoding.decoded(text)
    if let time = Timestamp(rfc3339: text) {
      promise(Timestamp(rfc3339: time.rfc3339Milliseconds) != nil, "a time that cannot be read again: \(text)")
    }
    if let wait = RetryAfter.parse(text, now: now) {
      promise(wait >= .zero, "a wait before now")
      _ = now + wait
    }
    _ = RelativeTime.read(text, now: now)
    if let id = JobID(text) { promise(id.description == text.lowercased(), "the id \(text) as \(id)") }
    if let reference = JobReference(text) { promiseIsShowable(reference.description) }
    if let number = JobReference(text), case .number = number { promise(Int64(text) != nil, "the number \(text)") }
  }
}
