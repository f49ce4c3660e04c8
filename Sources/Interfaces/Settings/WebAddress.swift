import Jobs

/// An http or https URL in its parts (RFC 3986, section 3), with the restrictions of a configuration.
package struct WebAddress {
  package struct Fault: Error {
    /// The fault, without the text, which may contain a password.
    let words: String
    let remedy: String

    static let character = Fault(words: "has a character that a URL cannot have", remedy: "percent-encode it")
    static let scheme = Fault(words: "is not an http or https URL", remedy: "begin it with https://")
    static let host = Fault(words: "has no valid host", remedy: "write it like https://HOST or https://HOST:PORT")
    static let foreignHost = Fault(
      words: "has a host outside ASCII", remedy: "write its xn-- form, which idn2 HOST prints, for example")
    static let port = Fault(words: "has no valid port", remedy: "a port is 1 to 65535")
    static let userInformation = Fault(words: "has a user or password in it", remedy: "leave out the part before the @")
  }

  package let scheme: String
  package let host: String
  package let port: String?
  package let path: String
  let query: String?
  let fragment: String?

  package init(_ text: String) throws(Fault) {
    let afterScheme = text.split(separator: "://", maxSplits: 1).last ?? ""
    guard afterScheme.prefix(while: { !"/?#".contains($0) }).utf8.allSatisfy({ $0 < 0x80 }) else { throw .foreignHost }
    // Printable ASCII, without the characters that must be percent-encoded anywhere in a URL.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains(where: { "\"<>\\^`{|}".contains($0) })
    else { throw .character }
    guard let separator = text.firstIndex(of: ":"), text[separator...].hasPrefix("://") else { throw .scheme }
    scheme = text[..<separator].lowercased()
    guard scheme == "http" || scheme == "https" else { throw .scheme }
    var rest = text[separator...].dropFirst(3)
    let authority = rest.prefix { !"/?#".contains($0) }
    rest = rest.dropFirst(authority.count)
    guard !authority.contains("@") else { throw .userInformation }
    (host, port) = try Self.hostAndPort(authority)
    let hash = rest.firstIndex(of: "#") ?? rest.endIndex
    fragment = hash == rest.endIndex ? nil : String(rest[rest.index(after: hash)...])
    let mark = rest[..<hash].firstIndex(of: "?") ?? hash
    query = mark == hash ? nil : String(rest[rest.index(after: mark)..<hash])
    path = String(rest[..<mark])
  }

  private static func hostAndPort(_ authority: Substring) throws(Fault) -> (String, String?) {
    var host = authority
    var port: Substring?
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw .host }
      host = authority[...end]
      guard host.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { throw .host }
      guard host.dropFirst().dropLast().contains(":") else { throw .host }
      let rest = authority[authority.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw .host }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else {
      if let colon = authority.lastIndex(of: ":") {
        host = authority[..<colon]
        port = authority[authority.index(after: colon)...]
      }
      guard host.allSatisfy({ $0.isLetter || $0.isDigit || "-._".contains($0) }), host.contains(where: { $0 != "." })
      else { throw .host }
    }
    if let port {
      guard port.allSatisfy(\.isDigit), let number = Int(port), (1...65535).contains(number) else { throw .port }
    }
    return (host.lowercased(), port.map(String.init))
  }
}
