import Linux
import Messages
import Synchronization

/// Reads one credential anew for each attempt, cheaply: a file that has not changed is not read again, and a file that was
/// looked at just now (``lookPause``) is not looked at again.
///
/// It blocks for as long as the file system does; the files are small and belong on a local disk.
public final class CredentialReader: Sendable {
  /// A secret and which of the values met so far it is.
  public struct Reading: Hashable, Sendable {
    /// The value.
    public let secret: Secret
    /// Counts the different values that the reader has met: it grows when the value differs from the one before.
    public let generation: Int
  }

  /// The way to look at files; tests count the calls.
  struct Files: Sendable {
    /// The time for which a look at a file counts.
    var pause: Duration = .zero
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    var stamp: @Sendable (String) throws(FileError) -> FileStamp = { path throws(FileError) in
      try fileStamp(path: path)
    }
    var read: @Sendable (String) throws(FileError) -> [UInt8] = { path throws(FileError) in
      try readSmallFile(path: path, limit: Secret.limit)
    }
  }

  private struct Memory {
    var reading: Reading?
    /// The profile that was read with it, if the source is a profile.
    var profile: AWSProfile?
    /// Why it could not be read the last time.
    var failure: CredentialError?
    /// The stamp under which the reading may be used again, and the time of the look that found it last.
    var stamp: FileStamp?
    var lookedAt: ContinuousClock.Instant?
  }

  /// The time for which a look at a file counts. Under load it saves a look for nearly every attempt; nobody who replaces a key
  /// notices it.
  private static let lookPause = Duration.milliseconds(10)

  /// The source of the credential.
  public let source: CredentialSource
  private let form: Secret.Form
  private let environment: [String: String]
  private let files: Files
  private let fetched: (any FetchedSource)?
  private let report: @Sendable (CredentialError?) -> Void
  private let memory = Mutex(Memory())

  /// A reader of one source.
  /// - Parameters:
  ///   - form: the form that the secret must have.
  ///   - environment: the daemon's environment as it was at start.
  ///   - fetched: the value of a source that is fetched (``CredentialSource/isFetched``).
  ///   - now: the clock by which a look at a file counts for a moment.
  ///   - report: called once when the credential cannot be read, and with nil when it can again.
  public convenience init(
    _ source: CredentialSource, form: Secret.Form = .line, environment: [String: String],
    fetched: (any FetchedSource)? = nil, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    report: @escaping @Sendable (CredentialError?) -> Void = { _ in }
  ) {
    self.init(
      source, form: form, environment: environment, files: Files(pause: Self.lookPause, now: now), fetched: fetched,
      report: report)
  }

  init(
    _ source: CredentialSource, form: Secret.Form = .line, environment: [String: String], files: Files,
    fetched: (any FetchedSource)? = nil, report: @escaping @Sendable (CredentialError?) -> Void = { _ in }
  ) {
    self.source = source
    self.form = form
    self.environment = environment
    self.fetched = fetched
    self.files = files
    self.report = report
  }

  /// The secret as it is now; for a source that is fixed until a restart, as it was when first read.
  /// - Throws: ``CredentialError`` if it is missing, cannot be read or is not fit for a header.
  public func read() throws(CredentialError) -> Secret { try reading().secret }

  /// The secret as it is now, with its generation, by which to tell later whether it has changed.
  /// - Throws: ``CredentialError`` if it is missing, cannot be read or is not fit for a header.
  public func reading() throws(CredentialError) -> Reading {
    try look { memory throws(CredentialError) in try next(&memory) }
  }

  /// The keys of a profile as they are now, where that is the source; ``read()`` gives the access key's id alone.
  /// - Throws: ``CredentialError`` if it is missing, cannot be read or is not fit for a header.
  public func profile() throws(CredentialError) -> AWSProfile {
    try look { memory throws(CredentialError) in
      _ = try next(&memory)
      guard let profile = memory.profile else { throw error("\(source) is no AWS profile", remedy: nil) }
      return profile
    }
  }

  /// The same as ``profile()``; keys that are being fetched, or have expired, are waited for.
  /// - Throws: ``CredentialError`` if they cannot be had.
  public func currentProfile() async throws(CredentialError) -> AWSProfile {
    await fetched?.untilUsable()
    return try profile()
  }

  /// The same as ``read()``; a token that is being fetched, or has expired, is waited for.
  /// - Throws: ``CredentialError`` if it cannot be had.
  public func currentSecret() async throws(CredentialError) -> Secret {
    await fetched?.untilUsable()
    return try read()
  }

  /// Waits for a value other than the one that was refused, where it is fetched; see ``FetchedSource/replace(_:)``.
  public func replace(_ refused: Secret) async -> Bool { await fetched?.replace(refused) ?? false }

  /// The generation of the value that was read last; nil if none could be read the last time: then any value is another one.
  public var lastGeneration: Int? { memory.withLock { $0.failure == nil ? $0.reading?.generation : nil } }

  /// The error of the last try to read it; nil if it could be read.
  public var lastError: CredentialError? { memory.withLock(\.failure) }

  /// True if it can be read now.
  public var canBeRead: Bool {
    do throws(CredentialError) {
      _ = try reading()
      return true
    } catch {
      return false
    }
  }

  /// Returns true if a different value can be read now than the one of that generation.
  ///
  /// False while the source cannot be read: there is no other key to try with.
  public func hasChanged(since generation: Int?) -> Bool {
    do throws(CredentialError) {
      let isOther = try reading().generation != generation
      // Whoever asks waits for other keys than these.
      if !isOther { fetched?.renewSoon() }
      return isOther
    } catch {
      return false
    }
  }

  /// Reads, and reports when reading begins to fail, or works again.
  private func look<T: Sendable>(
    _ read: (inout Memory) throws(CredentialError) -> T
  ) throws(CredentialError) -> T {
    let (result, news) = memory.withLock { memory -> (Result<T, CredentialError>, CredentialError??) in
      let before = memory.failure
      do throws(CredentialError) {
        let value = try read(&memory)
        memory.failure = nil
        return (.success(value), before == nil ? nil : .some(nil))
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
      return try readIfChanged(path, &memory) { bytes, memory throws(CredentialError) in
        try remember(bytes, in: &memory)
      }
    case .credential(let name):
      if let reading = memory.reading { return reading }
      guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else {
        throw error(
          "\(source) is missing: $CREDENTIALS_DIRECTORY is not set",
          remedy: .loadCredentialAndStart(name: name))
      }
      let path = "\(directory)/\(name)"
      return try remember(access(path) { path throws(FileError) in try files.read(path) }, in: &memory)
    case .environment(let name):
      if let reading = memory.reading { return reading }
      guard let value = environment[name] else {
        throw error("\(source) is not set", remedy: .setInUnit)
      }
      return try remember(Array(value.utf8), in: &memory)
    case .awsProfile(let name):
      let path = try profilesPath()
      return try readIfChanged(path, &memory) { bytes, memory throws(CredentialError) in
        do throws(AWSProfile.Fault) {
          return remember(try AWSProfile(name, in: bytes), in: &memory)
        } catch {
          throw self.error("\(path) \(error.words)", remedy: nil)
        }
      }
    case .aws, .oauth:
      guard let fetched else { throw error("\(source) cannot be used here", remedy: nil) }
      switch try fetched.present() {
      case .keys(let profile): return remember(profile, in: &memory)
      case .token(let token): return remember(token, in: &memory)
      }
    }
  }

  /// Returns a file's content; it is read only if it may have changed.
  private func readIfChanged(
    _ path: String, _ memory: inout Memory, _ take: ([UInt8], inout Memory) throws(CredentialError) -> Reading
  ) throws(CredentialError) -> Reading {
    let now = files.now()
    if let reading = memory.reading, memory.stamp != nil, let last = memory.lookedAt, now - last < files.pause {
      return reading
    }
    // The stamp is taken first: if the file changes while it is read, the next stamp differs.
    let stamp = try access(path) { path throws(FileError) in try files.stamp(path) }
    if let reading = memory.reading, stamp == memory.stamp {
      memory.lookedAt = now
      return reading
    }
    let bytes = try access(path) { path throws(FileError) in try files.read(path) }
    let reading = try take(bytes, &memory)
    memory.stamp = stamp.isSettled ? stamp : nil
    memory.lookedAt = now
    return reading
  }

  /// The shared credentials file, where the AWS command line looks for it too.
  private func profilesPath() throws(CredentialError) -> String {
    if let path = environment["AWS_SHARED_CREDENTIALS_FILE"], !path.isEmpty { return path }
    guard let home = environment["HOME"], !home.isEmpty else {
      throw error(
        "\(source) cannot be found: neither AWS_SHARED_CREDENTIALS_FILE nor HOME is set",
        remedy: "set AWS_SHARED_CREDENTIALS_FILE in the daemon's unit")
    }
    return "\(home)/.aws/credentials"
  }

  private func remember(_ profile: AWSProfile, in memory: inout Memory) -> Reading {
    if let known = memory.reading, memory.profile == profile { return known }
    let reading = Reading(secret: profile.accessKey, generation: (memory.reading?.generation ?? 0) + 1)
    memory.reading = reading
    memory.profile = profile
    return reading
  }

  private func remember(_ bytes: [UInt8], in memory: inout Memory) throws(CredentialError) -> Reading {
    let secret: Secret
    do throws(Secret.Fault) {
      secret = try Secret(bytes, form)
    } catch {
      let remedy: Message =
        switch form {
        case .line: .valueAlone
        case .lines: "it must be a PEM file"
        case .key256: "it must hold 32 bytes, or their base64 on one line: openssl rand -base64 32"
        }
      throw self.error("\(source) \(error.words)", remedy: remedy)
    }
    return remember(secret, in: &memory)
  }

  private func remember(_ secret: Secret, in memory: inout Memory) -> Reading {
    if let known = memory.reading, known.secret == secret { return known }
    let reading = Reading(secret: secret, generation: (memory.reading?.generation ?? 0) + 1)
    memory.reading = reading
    return reading
  }

  private func access<T>(_ path: String, _ body: (String) throws(FileError) -> T) throws(CredentialError) -> T {
    do throws(FileError) {
      return try body(path)
    } catch {
      throw self.error(
        .cannotRead(path: path, why: error.reason), remedy: CredentialRemedy.of(error, source: source),
        mayPass: error.mayPass)
    }
  }

  private func error(_ words: Message, remedy: Message?, mayPass: Bool = false) -> CredentialError {
    CredentialError(source: source, words: words, remedy: remedy, mayPass: mayPass)
  }
}
