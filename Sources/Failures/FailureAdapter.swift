public import Jobs

/// Turns one library's errors into our one ``Jobs/Failure``, or says "not mine" with nil.
public struct FailureAdapter: Sendable {
  /// The failure that an error stands for, nil for an error of someone else.
  public let adapt: @Sendable (any Error) -> Failure?

  /// An adapter by what it does.
  public init(_ adapt: @escaping @Sendable (any Error) -> Failure?) { self.adapt = adapt }

  /// An adapter for one type of error.
  public init<E: Error>(for type: E.Type, _ adapt: @escaping @Sendable (E) -> Failure?) {
    self.adapt = { error in (error as? E).flatMap(adapt) }
  }
}

extension FailureAdapter {
  /// Errors that are failures already.
  public static let failure = FailureAdapter(for: Failure.self) { $0 }
}

/// The adapters in the order in which they are asked; the first that knows the error decides.
public struct FailureAdapters: Sendable {
  /// The adapters in order.
  public var adapters: [FailureAdapter]

  /// These adapters, in this order.
  public init(_ adapters: [FailureAdapter]) { self.adapters = adapters }

  /// The adapters of this target: failures, answers of far sides, and transfers. Add those of other libraries.
  public static let standard = FailureAdapters([.failure, .status, .transfer])

  /// The failure that an error stands for.
  ///
  /// One that no adapter knows is transient and named in the words, so that it is tried again and then asked about;
  /// the request may have taken effect, as nothing is known of it.
  public func failure(for error: any Error) -> Failure {
    for adapter in adapters {
      if let failure = adapter.adapt(error) { return failure }
    }
    let name = DisplayText.escape(String(describing: type(of: error)))
    return Failure(
      .transient, "unexpected error \(name): \(BoundedText.of(String(describing: error)))", code: name,
      mayHaveActed: true)
  }
}
