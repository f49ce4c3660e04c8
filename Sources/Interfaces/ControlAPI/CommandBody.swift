public import Jobs
import Messages

/// The body of a command about one job. Empty and `{}` are the same.
public struct CommandBody: Hashable, Sendable {
  /// With confirm, at step `upload`: the link to use as the result of step 1.
  public var link: String?
  /// With release: the directory that takes the file, as an absolute path.
  public var to: String?
  /// With cancel: the reason.
  public var reason: String?
  /// With cancel: delete the object too.
  public var remove: Bool?
  /// The revision that the caller has seen; another one is refused.
  public var revision: Int64?

  /// Creates the body of a command.
  public init(_ command: JobCommand, revision: Int64? = nil) {
    switch command {
    case .confirm(let link): self.link = link
    case .cancel(let reason, let remove):
      self.reason = reason
      if remove { self.remove = true }
    case .release(let to): self.to = to
    case .retry, .discard: break
    }
    self.revision = revision
  }

  /// Reads the body of a command by its name.
  ///
  /// - Throws: ``InvalidRequest`` that names the member.
  public init(parsing bytes: [UInt8], for name: JobCommand.Name) throws(InvalidRequest) {
    self.init(.retry)
    guard !bytes.isEmpty else { return }
    let members = try BodyMembers(bytes, known: Self.members(of: name) + ["revision"])
    link = try members.text("link")
    to = try members.text("to")
    reason = try members.text("reason")
    remove = try members.flag("remove")
    revision = try members.number("revision")
    if let link { try Self.check(link: link) }
    if let to { try Self.check(directory: to) }
    if let reason { try Self.check(reason: reason) }
    if let revision { try Self.check(revision: revision) }
  }

  /// The body as JSON: the members that have a value.
  package var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      if let link { text.member("link", link) }
      if let reason { text.member("reason", reason) }
      if let remove { text.member("remove", remove) }
      if let revision { text.member("revision", revision) }
      if let to { text.member("to", to) }
    }
    return text.bytes
  }

  /// Returns the command that the body belongs to.
  ///
  /// - Throws: ``InvalidRequest`` if the body lacks something that the command needs.
  public func command(_ name: JobCommand.Name) throws(InvalidRequest) -> JobCommand {
    switch name {
    case .confirm: .confirm(link: link)
    case .cancel: .cancel(reason: reason, remove: remove ?? false)
    case .retry: .retry
    case .release:
      if let to {
        .release(to: to)
      } else {
        throw InvalidRequest(
          "to is missing: the directory that takes the file, as an absolute path, or - if you have read it")
      }
    case .discard: .discard
    }
  }

  /// Returns the members that a command may have beside the revision.
  static func members(of name: JobCommand.Name) -> [String] {
    switch name {
    case .confirm: ["link"]
    case .cancel: ["reason", "remove"]
    case .release: ["to"]
    case .retry, .discard: []
    }
  }

  /// The longest reason in characters; it is kept with the job.
  static let longestReason = 2048
  /// The longest link in characters. The link goes to the backend, and longer ones are not accepted everywhere (RFC 9110, section
  /// 4.1).
  static let longestLink = 2048
  /// The longest path in characters, without the end mark that Linux counts (PATH_MAX).
  static let longestPath = 4095

  static func check(reason: String) throws(InvalidRequest) {
    guard reason.unicodeScalars.count <= longestReason else {
      throw InvalidRequest("reason is longer than \(longestReason) characters")
    }
  }

  /// Checks a revision that somebody has seen.
  static func check(revision: Int64) throws(InvalidRequest) {
    guard revision >= 0 else { throw InvalidRequest("revision has to be the number that an answer gave") }
  }

  private static func check(directory: String) throws(InvalidRequest) {
    guard directory.utf8.first == UInt8(ascii: "/"), directory.unicodeScalars.count <= longestPath,
      !directory.utf8.contains(0)
    else {
      throw InvalidRequest("to has to be the absolute path of a directory, of at most \(longestPath) characters")
    }
  }

  private static func check(link: String) throws(InvalidRequest) {
    guard hasScheme(link), link.unicodeScalars.count <= longestLink,
      link.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw InvalidRequest(
        "link has to be an absolute URI, such as https://host/file, of at most \(longestLink) characters "
          + "and without control characters")
    }
  }

  /// True if a text begins like an absolute URI (RFC 3986, section 3.1) and has something after that. The rest may contain
  /// characters that a URI may only have percent-encoded, because the default link contains the key as it is.
  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8.index(after: colon) < text.endIndex,
      let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic
    else { return false }
    return text.unicodeScalars[..<colon].allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "+-.".unicodeScalars.contains($0))
    }
  }
}

extension CommandAnswer {
  /// Creates the answer to a command that was carried out.
  ///
  /// - Parameters:
  ///   - job: the job after the command.
  ///   - step: the step at which it was before.
  public init(_ command: JobCommand, _ job: JobMessage, at step: Step, by caller: Caller) {
    let name = FileName(job.name)
    let message: Message =
      switch command {
      case .release: .released(name: name.shown, user: DisplayText.escape(caller.user))
      case .discard: .discarded(name: name.shown, user: DisplayText.escape(caller.user))
      case .confirm, .retry: .queuedFor(name: name.shown, step: job.step.rawValue)
      case .cancel: Sentences.cancelled(step, name, by: caller.user)
      }
    self.init(job: job, message: message)
  }
}
