public import Jobs
import Messages
import Synchronization

/// Keys or a token, fetched from a source and renewed before they expire.
///
/// A renewal begins when somebody asks for the value in the last part of its life; the caller gets the old value in the meantime.
/// So nothing is fetched while nothing is sent.
public final class RenewedCredential: Sendable {
  typealias Fetch = @Sendable () async throws(KeyFault) -> FetchedCredential

  private struct Contents {
    var renewal = KeyRenewal()
    var isFetching = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
  }

  private let source: CredentialSource
  private let now: @Sendable () -> Timestamp
  private let fetch: Fetch
  private let notice: @Sendable (String) -> Void
  private let state = Mutex(Contents())

  init(
    _ source: CredentialSource, now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in }, fetch: @escaping Fetch
  ) {
    self.source = source
    self.now = now
    self.notice = notice
    self.fetch = fetch
  }

  /// Begins a renewal if one is due; returns the present value without waiting. Throws the last failure if no value is still valid.
  func renewIfDue() throws(CredentialError) -> CredentialValue {
    let now = now()
    let (keys, failure) = state.withLock { state in
      if !state.isFetching, state.renewal.isDue(now: now) { begin(&state) }
      return (state.renewal.usable(now: now), state.renewal.failure)
    }
    if let keys { return keys.value }
    guard let failure else {
      throw CredentialError(source: source, words: .beingFetched(source: source.words), isPending: true)
    }
    throw CredentialError(failure, of: source)
  }

  /// The time from which on the present value is refused; nil if it does not expire, or if there is none.
  var expires: Timestamp? { state.withLock { $0.renewal.keys?.expires } }

  /// Waits for the fetch in progress, if there is no usable value; begins one if none failed a moment ago.
  func untilUsable() async {
    let now = now()
    await ended { state in
      if !state.isFetching, state.renewal.isDue(now: now) { begin(&state) }
      return state.renewal.usable(now: now) == nil
    }
  }

  /// Begins a renewal because the value was refused, at most every 30 s.
  func renewSoon() {
    let now = now()
    state.withLock { state in
      if !state.isFetching, state.renewal.beginReplacing(now: now) { begin(&state) }
    }
  }

  /// Waits for a value other than the one that was refused. Callers that were refused together wait for one renewal.
  /// - Returns: false if there is no other value, because it cannot be fetched, or because new values were just refused too.
  func replace(_ refused: Secret) async -> Bool {
    let now = now()
    let isOther = { (state: borrowing Contents) in
      state.renewal.usable(now: now).map { $0.value.secret != refused } ?? false
    }
    await ended { state in
      if isOther(state) { return false }
      if !state.isFetching, state.renewal.beginReplacing(now: now) { begin(&state) }
      return true
    }
    return state.withLock { isOther($0) }
  }

  /// Waits for the end of the fetch in progress, if there is one and it is wanted, or until the task is cancelled.
  private func ended(_ isWanted: (inout Contents) -> Bool) async {
    let id = state.withLock { state -> Int? in
      guard isWanted(&state), state.isFetching else { return nil }
      state.nextWaiter += 1
      return state.nextWaiter
    }
    guard let id else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isFetching || Task.isCancelled { return true }
          state.waiting[id] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }
  }

  private func begin(_ state: inout Contents) {
    state.isFetching = true
    Task { await self.renew() }
  }

  private func renew() async {
    let result: Result<FetchedCredential, KeyFault>
    do throws(KeyFault) {
      result = .success(try await fetch())
    } catch {
      result = .failure(error)
    }
    let now = now()
    let (news, waiting) = state.withLock { state -> (String?, [CheckedContinuation<Void, Never>]) in
      let before = state.renewal.failure
      state.renewal.end(result, now: now)
      state.isFetching = false
      let waiting = Array(state.waiting.values)
      state.waiting = [:]
      guard let failure = state.renewal.failure, before != failure, let keys = state.renewal.usable(now: now) else {
        return (nil, waiting)
      }
      let end = keys.expires.map { ", which is good until \($0.rfc3339)," } ?? ""
      return ("\(source): what is in use\(end) could not be renewed yet: \(failure.message)", waiting)
    }
    for waiter in waiting { waiter.resume() }
    if let news { notice(news) }
  }
}

extension CredentialSource {
  /// Returns the object that fetches the value, for its ``CredentialReader``; nil for a source that is not fetched. Nothing is fetched
  /// before somebody asks for the value.
  public func fetched(
    environment: [String: String], now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) -> RenewedCredential? {
    switch self {
    case .aws(let name):
      let fetcher = KeyFetcher(environment: environment, now: now)
      return RenewedCredential(self, now: now, notice: notice) { () async throws(KeyFault) in
        try await fetcher.keys(AWSKeySource(name, environment: environment))
      }
    case .oauth(let client):
      let fetcher = TokenFetcher(client, environment: environment, now: now, notice: notice)
      return RenewedCredential(self, now: now, notice: notice) { () async throws(KeyFault) in
        try await fetcher.token()
      }
    case .file, .credential, .environment, .awsProfile: return nil
    }
  }
}
