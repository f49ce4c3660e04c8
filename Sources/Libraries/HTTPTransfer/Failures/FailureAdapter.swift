public import Jobs
import Messages

/// Converts one library's errors to a ``Jobs/Failure``; nil means that the error is from another library.
public struct FailureAdapter: Sendable {
  /// Returns the failure for an error, nil for an error of another library.
  let adapt: @Sendable (any Error) -> Failure?

  /// Creates an adapter from its function.
  public init(_ adapt: @escaping @Sendable (any Error) -> Failure?) { self.adapt = adapt }

  /// Creates an adapter for one type of error.
  public init<E: Error>(for type: E.Type, _ adapt: @escaping @Sendable (E) -> Failure?) {
    self.adapt = { error in (error as? E).flatMap(adapt) }
  }
}

extension FailureAdapter {
  /// The adapter for errors that are failures already.
  static let failure = FailureAdapter(for: Failure.self) { $0 }
}

/// A list of adapters. They are tried in order, and the first one that knows the error decides.
public struct FailureAdapters: Sendable {
  /// The adapters in order.
  public var adapters: [FailureAdapter]

  /// Creates a list of these adapters, in this order.
  public init(_ adapters: [FailureAdapter]) { self.adapters = adapters }

  /// The adapters of this target: for failures, answers of servers, and transfers. Callers add those of other libraries.
  public static let standard = FailureAdapters([.failure, .status, .transfer])

  /// Returns the failure for an error.
  ///
  /// An error that no adapter knows is transient, and its text names it: the attempt is retried, and in the end the job asks. The
  /// request may have taken effect, because nothing is known about it.
  public func failure(for error: any Error) -> Failure {
    for adapter in adapters {
      if let failure = adapter.adapt(error) { return failure }
    }
    let name = DisplayText.escape(String(describing: type(of: error)))
    return Failure(
      .transient, .unexpectedError(name: name, why: BoundedText.of(String(describing: error))), code: name,
      mayHaveActed: true)
  }
}
