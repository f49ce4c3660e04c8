import Glibc
public import Jobs
import Linux
import Messages
import Synchronization

/// Reads one credential for each attempt: a file is read again only if it has changed, which is checked again after ``lookPause``.
/// It blocks for as long as the file system does; the files are small and belong on a local disk.
public final class CredentialReader: Sendable {
  /// A secret, and the generation of its value.
  public struct Reading: Hashable, Sendable {
    let value: CredentialValue
    /// The number of different values so far: it grows when the value differs from the one before.
    public let generation: Int

    /// The secret; of keys that belong together, the access key's id.
    public var secret: Secret { value.secret }
  }

  /// The access to files; tests count the calls.
  struct Files: Sendable {
    var pause: Duration = .zero
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    var facts: @Sendable (String) throws(FileError) -> (FileFacts, areSettled: Bool) = { path throws(FileError) in
      try settledFacts(path: path)
    }
    var read: @Sendable (String) throws(FileError) -> [UInt8] = { path throws(FileError) in
      try readSmallFile(path: path, limit: Secret.limit)
    }
  }

  private struct Memory {
    var reading: Reading?
    /// The reason why it could not be read the last time.
    var failure: CredentialError?
    /// The facts with which the reading may be used again, and the time of the last check.
    var facts: FileFacts?
    var lookedAt: ContinuousClock.Instant?
  }

  /// The time for which a check of a file is valid: under load this saves the check for nearly every attempt.
  private static let lookPause = Duration.milliseconds(10)

  /// The source of the credential.
  public let source: CredentialSource
  private let form: Secret.Form
  private let environment: [String: String]
  private let files: Files
  private let fetched: RenewedCredential?
  private let report: @Sendable (CredentialError?) -> Void
  private let memory = Mutex(Memory())

  /// Creates a reader of one source.
  /// - Parameters:
  ///   - fetched: fetches the value, for a source that is fetched (``CredentialSource/isFetched``).
  ///   - report: called once when the credential cannot be read, and with nil when it can again.
  public convenience init(
    _ source: CredentialSource, form: Secret.Form = .line, environment: [String: String],
    fetched: RenewedCredential? = nil, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    report: @escaping @Sendable (CredentialError?) -> Void = { _ in }
  ) {
    self.init(
      source, form: form, environment: environment, files: Files(pause: Self.lookPause, now: now), fetched: fetched,
      report: report)
  }

  init(
    _ source: CredentialSource, form: Secret.Form = .line, environment: [String: String], files: Files,
    fetched: RenewedCredential? = nil, report: @escaping @Sendable (CredentialError?) -> Void = { _ in }
  ) {
    self.source = source
    self.form = form
    self.environment = environment
    self.fetched = fetched
    self.files = files
    self.report = report
  }

  /// Returns the present secret; for a source that is fixed until a restart, the secret as it was when first read.
  /// - Throws: ``CredentialError`` if it is missing, cannot be read or is not fit for a header.
  public func read() throws(CredentialError) -> Secret { try reading().secret }

  /// Returns the present secret with its generation, by which a later change can be found.
  public func reading() throws(CredentialError) -> Reading {
    if let known = memory.withLock({ known(in: &$0) }) { return known }
    return try look()
  }

  /// The reading that ``next(_:)`` would return without a look at the source, if it could be read the last time; nil if a look is
  /// needed.
  private func known(in memory: inout Memory) -> Reading? {
    guard let reading = memory.reading, case nil = memory.failure else { return nil }
    switch source {
    case .file: return memory.facts != nil && isLookedAt(memory.lookedAt, files.now()) ? reading : nil
    case .credential, .environment: return reading
    case .awsProfile, .aws, .oauth: return nil
    }
  }

  private func isLookedAt(_ last: ContinuousClock.Instant?, _ now: ContinuousClock.Instant) -> Bool {
    last.map { now - $0 < files.pause } ?? false
  }

  /// Returns the present keys of a profile, if the source is one; ``read()`` returns only the access key's id.
  public func profile() throws(CredentialError) -> SigningKey {
    guard case .keys(let profile) = try reading().value else { throw error(.isNoProfile(source: source.words)) }
    return profile
  }

  /// Does the same as ``profile()``, but waits for keys that are being fetched, or have expired.
  public func currentProfile() async throws(CredentialError) -> SigningKey {
    await fetched?.untilUsable()
    return try profile()
  }

  /// Does the same as ``read()``, but waits for a token that is being fetched, or has expired.
  public func currentSecret() async throws(CredentialError) -> Secret {
    await fetched?.untilUsable()
    return try read()
  }

  /// Waits for a value other than the one that was refused, if the source is fetched; see ``RenewedCredential/replace(_:)``.
  public func replace(_ refused: Secret) async -> Bool { await fetched?.replace(refused) ?? false }

  /// The generation of the value that was read last; nil if the last try failed: then any value is a different one.
  public var lastGeneration: Int? { memory.withLock { $0.failure == nil ? $0.reading?.generation : nil } }

  /// The number of different values that were read so far; nil if none can be read yet.
  public var generation: Int? {
    if let generation = memory.withLock({ $0.reading?.generation }) { return generation }
    return canBeRead ? memory.withLock { $0.reading?.generation } : nil
  }

  /// The time until which the present value is good, if it was fetched and expires.
  public var expires: Timestamp? { fetched?.expires }

  /// The error of the last try to read the credential; nil if it succeeded.
  public var lastError: CredentialError? { memory.withLock(\.failure) }

  /// True if it can be read now. Ignored: ``lastError`` has the reason.
  public var canBeRead: Bool { (try? reading()) != nil }

  /// Returns true if the value that can be read now differs from the one of that generation; otherwise a fetched one is renewed soon.
  public func seekChange(since generation: Int?) -> Bool {
    // Ignored: while the source cannot be read, there is no other key to try with.
    guard let reading = try? reading() else { return false }
    if reading.generation == generation { fetched?.renewSoon() }
    return reading.generation != generation
  }

  /// Looks at the source, and reports when reading begins to fail, or works again.
  private func look() throws(CredentialError) -> Reading {
    let (result, news) = memory.withLock { memory -> (Result<Reading, CredentialError>, CredentialError??) in
      let before = memory.failure
      do throws(CredentialError) {
        let reading = try next(&memory)
        memory.failure = nil
        return (.success(reading), before == nil ? nil : .some(nil))
      } catch {
        if error.isPending { return (.failure(error), nil) }
        memory.failure = error
        return (.failure(error), before == error ? nil : .some(error))
      }
    }
    if let news { report(news) }
    return try result.get()
  }

  private func next(_ memory: inout Memory) throws(CredentialError) -> Reading {
    switch source {
    case .file(let path):
      return try readIfChanged(path, &memory, value)
    case .credential(let name):
      if let reading = memory.reading { return reading }
      guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else {
        throw error(.credentialMissing(source: source.words), remedy: .loadCredentialAndStart(name: name))
      }
      let path = "\(directory)/\(name)"
      return remember(try value(access(path, files.read)), in: &memory)
    case .environment(let name):
      if let reading = memory.reading { return reading }
      guard let value = environment[name] else { throw error(.isNotSet(source: source.words), remedy: .setInUnit) }
      return remember(try self.value(Array(value.utf8)), in: &memory)
    case .awsProfile(let name):
      guard let path = AWSConfiguration.credentialsPath(environment) else {
        throw error(
          .awsFileNotFound(source: source.words), remedy: .setVariable(setting: "AWS_SHARED_CREDENTIALS_FILE"))
      }
      return try readIfChanged(path, &memory) { bytes throws(CredentialError) in
        do throws(KeyFault) {
          return .keys(try SigningKey(name, in: bytes))
        } catch {
          throw self.error(.credentialUnusable(source: .text(path), why: error.message))
        }
      }
    case .aws, .oauth:
      guard let fetched else { throw error(.notUsableHere(source: source.words)) }
      return remember(try fetched.renewIfDue(), in: &memory)
    }
  }

  /// Returns a file's content; it is read only if it may have changed.
  private func readIfChanged(
    _ path: String, _ memory: inout Memory, _ value: ([UInt8]) throws(CredentialError) -> CredentialValue
  ) throws(CredentialError) -> Reading {
    let now = files.now()
    if let reading = memory.reading, memory.facts != nil, isLookedAt(memory.lookedAt, now) { return reading }
    // The facts are read first: if the file changes while it is read, the next ones differ.
    let (facts, areSettled) = try access(path, files.facts)
    if let reading = memory.reading, facts == memory.facts {
      memory.lookedAt = now
      return reading
    }
    let reading = remember(try value(access(path, files.read)), in: &memory)
    memory.facts = areSettled ? facts : nil
    memory.lookedAt = now
    return reading
  }

  private func remember(_ value: CredentialValue, in memory: inout Memory) -> Reading {
    if let known = memory.reading, known.value == value { return known }
    let reading = Reading(value: value, generation: (memory.reading?.generation ?? 0) + 1)
    memory.reading = reading
    return reading
  }

  private func value(_ bytes: [UInt8]) throws(CredentialError) -> CredentialValue {
    do throws(KeyFault) {
      return .secret(try Secret(bytes, form))
    } catch {
      let remedy: Message =
        switch form {
        case .line: .valueAlone
        case .lines: .mustBePem
        case .key256: .mustBeKey(command: "openssl rand -base64 32")
        }
      throw self.error(.credentialUnusable(source: source.words, why: error.message), remedy: remedy)
    }
  }

  private func access<T>(_ path: String, _ body: (String) throws(FileError) -> T) throws(CredentialError) -> T {
    do throws(FileError) {
      return try body(path)
    } catch {
      throw self.error(
        .cannotRead(path: path, why: error.reason), remedy: remedy(for: error), mayPass: error.mayPass)
    }
  }

  private func remedy(for error: FileError) -> Message? {
    switch (error.errno, source) {
    case (ENOENT, .credential(let name)): .loadCredential(name: name)
    case (ENOENT, .awsProfile): .nameAwsFile
    case (ENOENT, _), (ENOTDIR, _): .putValueIntoFile
    case (EACCES, _), (EPERM, _): .letUserRead
    case (EISDIR, .awsProfile), (EINVAL, .awsProfile): .mustBeRegular
    case (EISDIR, _), (EINVAL, _): .regularFileValueAlone
    case (EFBIG, _): .valueTooLarge
    default: nil
    }
  }

  private func error(_ words: Message, remedy: Message? = nil, mayPass: Bool = false) -> CredentialError {
    CredentialError(source: source, words: words, remedy: remedy, mayPass: mayPass)
  }
}
