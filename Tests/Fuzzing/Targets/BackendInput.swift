import HTTPTransfer
import Jobs

/// Whatever a backend answers becomes a failure in words that can be shown.
enum BackendInput {
  static func take(_ bytes: [UInt8]) {
    guard let response = FarAnswer.parse(bytes) else { return }
    let error = StatusError(response, from: .backend, now: Timestamp(year: 2026, month: 11, day: 21), hiding: .none)
    let failure = error.failure
    promiseIsShowable(failure.words)
    promise(failure.words.count < 2000, "words that go on and on")
    promise(error.retryAfter ?? .zero >= .zero, "a wait before now")
  }
}
