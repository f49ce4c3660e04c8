public import Credentials
import HTTPTransfer
public import Jobs
import Synchronization

/// Keys that AWS's own tools would use, fetched where they are and renewed before they expire.
///
/// A renewal begins when somebody asks for the keys in the last part of their life; the asker gets the old ones meanwhile. So
/// where nothing is sent, nothing is fetched. It has a transport of its own: requests that wait for keys hold the places of
/// the other one.
public final class AWSKeyChain: FetchedKeys {
  /// The way to get keys from a source.
  typealias Fetch = @Sendable (AWSKeySource) async -> Result<AWSKeys, FetchFailure>

  private struct State {
    var renewal = KeyRenewal()
    var work: Task<Void, Never>?
  }

  private let name: String
  private let environment: [String: String]
  private let now: @Sendable () -> Timestamp
  private let fetch: Fetch
  private let notice: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// A chain by its name in the configuration. Nothing is fetched before somebody asks for keys.
  /// - Parameters:
  ///   - environment: the daemon's environment as it was at start.
  ///   - now: the wall clock, by which keys expire.
  ///   - notice: hears once when a renewal fails while the old keys are still good.
  public convenience init(
    _ name: String, environment: [String: String], now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    let fetcher = KeyFetcher(environment: environment, now: now)
    self.init(name, environment: environment, now: now, notice: notice, fetch: { await fetcher.fetch($0) })
  }

  init(
    _ name: String, environment: [String: String], now: @escaping @Sendable () -> Timestamp,
    notice: @escaping @Sendable (String) -> Void = { _ in }, fetch: @escaping Fetch
  ) {
    self.name = name
    self.environment = environment
    self.now = now
    self.notice = notice
    self.fetch = fetch
  }

  /// Returns the keys as they are known now; begins a renewal where one is due.
  ///
  /// - Throws: `CredentialError` with the reason of the last failure, if there are none that have not expired.
  public func present() throws(CredentialError) -> AWSProfile {
    let now = now()
    let (keys, failure) = state.withLock { state in
      if state.work == nil, state.renewal.isDue(now: now) { begin(&state) }
      return (state.renewal.usable(now: now), state.renewal.failure)
    }
    if let keys { return keys.profile }
    let source = CredentialSource.aws(name)
    guard let failure else {
      throw CredentialError(source: source, words: "\(source): the keys are being fetched", isPending: true)
    }
    throw CredentialError(source: source, words: "\(source): \(failure.words)", remedy: failure.remedy)
  }

  /// Waits for the fetch under way, if there are no usable keys.
  public func untilUsable() async {
    let now = now()
    let work = state.withLock { state -> Task<Void, Never>? in
      if state.work == nil, state.renewal.isDue(now: now) { begin(&state) }
      return state.renewal.usable(now: now) == nil ? state.work : nil
    }
    await work?.value
  }

  /// Begins a renewal for somebody whose keys were refused, at most every 30 s.
  public func renewSoon() {
    let now = now()
    state.withLock { state in
      if state.work == nil, state.renewal.mayRenewEarly(now: now) { begin(&state) }
    }
  }

  private func begin(_ state: inout State) { state.work = Task { await self.renew() } }

  private func renew() async {
    let result: Result<AWSKeys, FetchFailure>
    do throws(AWSConfiguration.Fault) {
      result = await fetch(try AWSKeySource(name, environment: environment))
    } catch {
      result = .failure(FetchFailure(error.words, remedy: error.remedy))
    }
    let now = now()
    let news = state.withLock { state -> String? in
      let before = state.renewal.failure
      state.renewal.end(result, now: now)
      state.work = nil
      guard let failure = state.renewal.failure, before != failure, let keys = state.renewal.usable(now: now) else {
        return nil
      }
      let end = keys.expires.map { ", which are good until \($0.rfc3339)" } ?? ""
      return "\(CredentialSource.aws(self.name)): the keys\(end) could not be renewed yet: \(failure.words)"
    }
    if let news { notice(news) }
  }
}
