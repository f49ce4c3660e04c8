import Jobs

/// The body of a command about one job. Empty and `{}` are the same.
public struct CommandBody: Hashable, Sendable, Codable {
  /// With confirm, at step `upload`: the link to take for step 1.
  public var link: String?
  /// With cancel: why.
  public var reason: String?
  /// With cancel: delete the object too.
  public var remove: Bool?
  /// The revision that the caller has seen; another one is refused.
  public var revision: Int64?

  /// The body that says what a command has to say.
  public init(_ command: Command, revision: Int64? = nil) {
    switch command {
    case .confirm(let link): self.link = link
    case .cancel(let reason): self.reason = reason
    case .retry: break
    }
    self.revision = revision
  }

  /// Reads the body of a command by its name.
  ///
  /// - Throws: ``InvalidRequest`` that names the member.
  public init(parsing bytes: [UInt8], for name: Command.Name) throws(InvalidRequest) {
    guard !bytes.isEmpty else {
      self.init(.retry)
      return
    }
    let members = Self.members(of: name) + ["revision"]
    self = try BodyReader.read(CommandBody.self, from: bytes, members: members)
    if let link { try Self.check(link: link) }
    if let reason { try Self.check(reason: reason) }
  }

  /// The command that the body belongs to.
  public func command(_ name: Command.Name) -> Command {
    switch name {
    case .confirm: .confirm(link: link)
    case .cancel: .cancel(reason: reason)
    case .retry: .retry
    }
  }

  /// What a command may say beside the job and the revision.
  static func members(of name: Command.Name) -> [String] {
    switch name {
    case .confirm: ["link"]
    case .cancel: ["reason", "remove"]
    case .retry: []
    }
  }

  /// The longest reason or link, in bytes; both are kept with the job.
  static let longestText = 8192

  static func check(reason: String) throws(InvalidRequest) {
    guard reason.utf8.count <= longestText else { throw InvalidRequest("reason is longer than 8192 bytes") }
  }

  private static func check(link: String) throws(InvalidRequest) {
    guard !link.isEmpty, link.utf8.count <= longestText,
      link.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw InvalidRequest("link has to be a URL of at most 8192 bytes without control characters") }
  }
}

/// Reads JSON objects that may have only the members known.
enum BodyReader {
  /// Reads an object and checks the names of its members.
  static func read<Body: Decodable>(
    _ type: Body.Type, from bytes: [UInt8], members: [String]
  ) throws(InvalidRequest) -> Body {
    do {
      let names = try ControlJSON.decode(MemberNames.self, from: bytes).names
      if let unknown = names.first(where: { !members.contains($0) }) {
        let known = members.isEmpty ? "there are none" : "there are \(members.joined(separator: ", "))"
        throw InvalidRequest("member \"\(unknown)\" is not known here; \(known)")
      }
      return try ControlJSON.decode(type, from: bytes)
    } catch let error as InvalidRequest {
      throw error
    } catch let error as DecodingError {
      throw InvalidRequest(error)
    } catch {
      throw InvalidRequest("The body is not JSON")
    }
  }

  private struct MemberNames: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue).sorted()
    }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
