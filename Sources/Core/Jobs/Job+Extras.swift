extension Job {
  /// The parts that a job does not have from the beginning. They are in an object of their own, so that a copy of a job, which is
  /// made all the time, copies one reference.
  final class Extras: Hashable, Sendable {
    struct Values: Hashable, Sendable {
      var stored: StoredLink?
      var nextAttemptAt: Timestamp?
      var failure: Failure?
      var question: Question?
      var registration: RegistrationReceipt?
      var multipart: MultipartUpload?
      var remote: Remote?
      var release: Release?
      var recognized: Recognized?
      var sendsDuplicate: Bool?
    }

    let values: Values

    init(_ values: Values) { self.values = values }

    static func == (a: Extras, b: Extras) -> Bool { a === b || a.values == b.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }
  }

  /// The link of the last step 1, once it is durable. It stays when its object was removed and step 1 must be done again, because the
  /// backend may know it: see ``link``.
  public var stored: StoredLink? {
    get { extras?.values.stored }
    set { set(stored, newValue) { $0.stored = newValue } }
  }

  /// The time at which a deferred job is tried again, on the steady clock.
  public var nextAttemptAt: Timestamp? {
    get { extras?.values.nextAttemptAt }
    set { set(nextAttemptAt, newValue) { $0.nextAttemptAt = newValue } }
  }

  /// The failure of the last attempt, until one succeeds.
  public var failure: Failure? {
    get { extras?.values.failure }
    set { set(failure, newValue) { $0.failure = newValue } }
  }

  /// The open question; nil unless `awaitingConfirmation`.
  public var question: Question? {
    get { extras?.values.question }
    set { set(question, newValue) { $0.question = newValue } }
  }

  /// The backend's receipt, once it is durable.
  public var registration: RegistrationReceipt? {
    get { extras?.values.registration }
    set { set(registration, newValue) { $0.registration = newValue } }
  }

  /// The upload in parts that was begun for the present step 1; nil once the link is recorded.
  public var multipart: MultipartUpload? {
    get { extras?.values.multipart }
    set { set(multipart, newValue) { $0.multipart = newValue } }
  }

  /// The state of the storage since the job was cancelled; nil if it was not cancelled or nothing of it was ever sent.
  public var remote: Remote? {
    get { extras?.values.remote }
    set { set(remote, newValue) { $0.remote = newValue } }
  }

  /// The release of the file: under way while the job is aborted or cancelled, done once it is discarded. Nil if there is none.
  public var release: Release? {
    get { extras?.values.release }
    set { set(release, newValue) { $0.release = newValue } }
  }

  /// The earlier job whose bytes this one has; nil unless `skipped`.
  public var recognized: Recognized? {
    get { extras?.values.recognized }
    set { set(recognized, newValue) { $0.recognized = newValue } }
  }

  /// True if a person allowed to send the bytes although they may have been sent before.
  public var sendsDuplicate: Bool {
    get { extras?.values.sendsDuplicate ?? false }
    set { set(extras?.values.sendsDuplicate, newValue ? true : nil) { $0.sendsDuplicate = newValue ? true : nil } }
  }

  /// True if nothing in the extras can differ, because both jobs have the same object or neither has one. Most changes leave it alone,
  /// so the comparison of two versions need not look into it.
  public func hasSameExtras(as other: Job) -> Bool { extras === other.extras }

  /// True if the job has a failure or waits for a time, without a copy of either.
  public var hasTrouble: Bool {
    guard let extras else { return false }
    return extras.values.failure != nil || extras.values.nextAttemptAt != nil
  }

  private mutating func set<Value>(_ old: Value?, _ value: Value?, _ change: (inout Extras.Values) -> Void) {
    if old == nil, value == nil { return }
    var values = extras?.values ?? Extras.Values()
    change(&values)
    extras = value == nil && values == Extras.Values() ? nil : Extras(values)
  }
}
