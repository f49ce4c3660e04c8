public import Jobs
import Messages

/// The body of a command about one job. Empty and `{}` are the same.
public struct CommandBody: Hashable, Sendable {
  /// The command, of which the body has all but the name.
  public var command: JobCommand
  /// The revision that the caller has seen; another one is refused.
  public var revision: Int64?

  /// Creates the body of a command.
  public init(_ command: JobCommand, revision: Int64? = nil) { (self.command, self.revision) = (command, revision) }

  /// Reads the body of a command by its name.
  /// - Throws: ``InvalidRequest`` that names the member.
  public init(parsing bytes: [UInt8], for name: JobCommand.Name) throws(InvalidRequest) {
    let members = try BodyMembers(bytes.isEmpty ? Array("{}".utf8) : bytes, known: name.members + ["revision"])
    let revision = try members.revision()
    self.init(try JobCommand(name, members), revision: revision)
  }

  package var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      command.writeMembers(into: &text)
      if let revision { text.member("revision", revision) }
    }
    return text.bytes
  }
}

extension JobCommand.Name {
  /// The members of the command, with which ``JobCommand`` is read and written.
  var members: [String] {
    switch self {
    case .confirm: ["link"]
    case .cancel: ["reason", "remove"]
    case .release: ["to"]
    case .retry, .discard: []
    }
  }
}

extension JobCommand {
  /// The longest reason in characters; it is kept with the job.
  private static let longestReason = 2048
  /// The longest link in characters. The link goes to the backend, and longer ones are not accepted everywhere (RFC 9110, section
  /// 4.1).
  private static let longestLink = 2048
  /// The longest path in characters, without the end mark that Linux counts (PATH_MAX).
  private static let longestPath = 4095

  init(_ name: Name, _ members: BodyMembers) throws(InvalidRequest) {
    switch name {
    case .confirm:
      let link: String? = try members.value("link")
      if let link { try Self.check(link: link) }
      self = .confirm(link: link)
    case .cancel:
      let reason: String? = try members.value("reason")
      guard reason?.unicodeScalars.count ?? 0 <= Self.longestReason else {
        throw InvalidRequest(.valueTooLong(name: "reason", count: Self.longestReason))
      }
      self = .cancel(reason: reason, remove: try members.value("remove") ?? false)
    case .retry: self = .retry
    case .release:
      let to: String = try members.value("to") ?? ""
      try Self.check(directory: to)
      self = .release(to: to)
    case .discard: self = .discard
    }
  }

  func writeMembers(into text: inout JSONText) {
    switch self {
    case .confirm(let link): if let link { text.member("link", link) }
    case .cancel(let reason, let remove):
      if let reason { text.member("reason", reason) }
      if remove { text.member("remove", true) }
    case .release(let to): text.member("to", to)
    case .retry, .discard: break
    }
  }

  private static func check(directory: String) throws(InvalidRequest) {
    guard directory.utf8.first == UInt8(ascii: "/"), directory.unicodeScalars.count <= longestPath,
      !directory.utf8.contains(0)
    else {
      throw InvalidRequest(.valueHasToBe(name: "to", form: .formDirectory(count: longestPath)))
    }
  }

  private static func check(link: String) throws(InvalidRequest) {
    guard hasScheme(link), link.unicodeScalars.count <= longestLink,
      link.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw InvalidRequest(.valueHasToBe(name: "link", form: .formLink(count: longestLink)))
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
  /// Creates the answer to a command that was carried out, with the job after it and the step before it.
  public init(_ command: JobCommand, _ job: JobMessage, at step: Step, by caller: Caller) {
    let name = FileName(job.name)
    let message: Message =
      switch command {
      case .release: .released(name: name.shown, user: DisplayText.escape(caller.user))
      case .discard: .discarded(name: name.shown, user: DisplayText.escape(caller.user))
      case .confirm, .retry: .queuedFor(name: name.shown, step: job.step.rawValue)
      case .cancel:
        .stepCancelled(step: step.rawValue, name: name.shown, user: DisplayText.escape(caller.user))
      }
    self.init(job: job, message: message)
  }
}
