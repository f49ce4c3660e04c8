import Credentials
import Jobs

/// Headers (RFC 9110, section 5): a table of names and values.
extension Section {
  /// The headers that the requests themselves set, or that decide how long a message is.
  static let reservedHeaders: Set<String> = [
    "authorization", "host", "content-length", "transfer-encoding", "connection", "x-amz-content-sha256", "x-amz-date",
    "x-amz-security-token", "idempotency-key", "if-none-match", "expect",
  ]

  mutating func plainHeaders(_ key: String) -> [String: String] {
    guard let inner = section(key, example: "\(key) = { \"x-amz-storage-class\" = \"STANDARD_IA\" }") else {
      return [:]
    }
    var headers: [String: String] = [:]
    for (name, node) in inner.headerNodes() {
      guard let value = node.text else {
        inner.wrongType(name, node, "a string", example: "\(shownKey(name)) = \"value\"")
        continue
      }
      guard inner.isHeaderValue(name, value) else { continue }
      if value.contains(where: { $0 == "{" || $0 == "}" }) {
        guard !StorageSettings.isOfEachRequest(name) else {
          inner.problem(
            name, "has a placeholder, but this header goes with requests that are not about one file",
            "write its value without placeholders")
          continue
        }
        if inner.template(name, value, Placeholders.key, ending: KeyFact.headerEnding) == nil { continue }
      }
      headers[name] = value
    }
    return headers
  }

  mutating func headers(_ key: String) -> [String: BackendSettings.HeaderValue] {
    guard let inner = section(key, example: "\(key) = { \"X-Source\" = \"scanner-3\" }") else { return [:] }
    var headers: [String: BackendSettings.HeaderValue] = [:]
    for (name, node) in inner.headerNodes() {
      if let value = node.text {
        if inner.isHeaderValue(name, value) { headers[name] = .text(value) }
      } else if let form = node.table {
        if let source = inner.credential(name, form, line: node.line) { headers[name] = .secret(source) }
      } else {
        inner.wrongType(
          name, node, "a string or a place to read it from", example: "\(shownKey(name)) = \"value\"")
      }
    }
    return headers
  }

  /// Returns the entries whose names may be sent, in the order of lines.
  private func headerNodes() -> [(String, Node)] {
    var seen: [String: String] = [:]
    let entries = table.sorted { ($0.value.line ?? 0, $0.key) < ($1.value.line ?? 0, $1.key) }
    guard entries.count <= 64 else {
      problems.add(
        ConfigurationProblem(
          file: file, line: line, keyPath: path, words: "has \(entries.count) headers", remedy: "it may have at most 64"
        ))
      return []
    }
    return entries.filter { name, _ in
      let lower = name.lowercased()
      if !name.isHeaderName {
        problem(name, "is not a valid header name", "a name has letters, digits and -")
      } else if lower == "authorization" {
        problem(name, "is set by waybill", "a backend's bearer token goes into token")
      } else if lower.hasPrefix("x-amz-server-side-encryption-customer-") {
        problem(name, "is set by waybill", "write encryption = { customer_key = { file = \"PATH\" } }")
      } else if Self.reservedHeaders.contains(lower) || lower.hasPrefix("x-amz-meta-waybill-") {
        problem(name, "is set by waybill", "leave it out")
      } else if let other = seen.updateValue(name, forKey: lower) {
        problem(name, "is the same header as \(quoted(other))", "leave one of them out")
      } else {
        return true
      }
      return false
    }
  }

  private func isHeaderValue(_ name: String, _ value: String) -> Bool {
    guard value.utf8.count <= 4096 else {
      problem(name, "is longer than 4,096 bytes")
      return false
    }
    guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x09 }) else {
      problem(name, "has a control character or a non-ASCII character in it", "a header's value is printable ASCII")
      return false
    }
    guard !value.isEmpty, value.first?.isBlank == false, value.last?.isBlank == false else {
      problem(name, "is empty, or begins or ends with a blank", "leave it out, or leave the blanks out")
      return false
    }
    return true
  }
}

extension String {
  /// True if it may be the name of a header: a token (RFC 9110, section 5.6.2).
  package var isHeaderName: Bool {
    (1...256).contains(utf8.count)
      && utf8.allSatisfy { NameText.isLetterOrDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
  }
}
