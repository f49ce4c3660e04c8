package import Jobs
import Messages

/// A term of a query: its name, how its value is read, and how it is written.
package struct QueryTerm<Query: Sendable>: Sendable {
  let name: String
  let isList: Bool
  let read: @Sendable (inout Query, [UInt8], Timestamp) throws(InvalidRequest) -> Void
  /// Returns the value; nil if the query has none, or the one that is meant without the term.
  let write: @Sendable (Query) -> [UInt8]?
}

/// The terms of a request, in the part of a URL after its `?` or in a body.
package protocol QueryOfTerms: Hashable, Sendable {
  /// The terms, in the order in which they are written.
  static var terms: [QueryTerm<Self>] { get }
  /// Creates what a request without terms says.
  init()
  /// Checks what no term can check alone.
  func check() throws(InvalidRequest)
}

extension QueryOfTerms {
  package func check() throws(InvalidRequest) {}

  /// Reads the part of a URL after its `?`.
  package init(parsing query: some StringProtocol, now: Timestamp) throws(InvalidRequest) {
    self = try Self.read(try QueryText.pairs(query), now)
  }

  static func read(_ pairs: [(name: String, value: [UInt8])], _ now: Timestamp) throws(InvalidRequest) -> Self {
    var (query, seen): (Self, Set<String>) = (Self(), [])
    let terms = Self.terms
    for (name, value) in pairs {
      guard let term = terms.first(where: { $0.name == name }) else {
        throw InvalidRequest(.termUnknown(name: name, known: names.joined(separator: ", ")))
      }
      guard seen.insert(name).inserted || term.isList else { throw InvalidRequest(.givenTwice(name: name)) }
      try term.read(&query, value, now)
    }
    try query.check()
    return query
  }

  static var names: [String] { terms.map(\.name) }

  package var written: [(name: String, value: [UInt8])] {
    Self.terms.compactMap { term in term.write(self).map { (term.name, $0) } }
  }

  package var text: String {
    written.map { "\($0.name)=\(QueryText.encode($0.value))" }.joined(separator: "&")
  }
}

extension QueryTerm {
  /// The most characters of a text that is looked for.
  static var longestText: Int { 1000 }

  /// Creates a term whose value is text.
  /// - Parameter longest: the most characters of a value that must not be empty; nil if `read` says what is accepted.
  init(
    _ name: String, isList: Bool = false, longest: Int? = nil,
    read: @escaping @Sendable (inout Query, String, Timestamp) throws(InvalidRequest) -> Void,
    write: @escaping @Sendable (Query) -> String?
  ) {
    self.init(name: name, isList: isList) { (query, value, now) throws(InvalidRequest) in
      let text = try QueryText.text(value)
      if let longest {
        guard text.unicodeScalars.count <= longest else {
          throw InvalidRequest(.valueTooLong(name: name, count: longest))
        }
        // a variable that is empty by mistake must not match everything
        guard !text.isEmpty else { throw InvalidRequest(.valueEmpty(name: name)) }
      }
      try read(&query, text, now)
    } write: {
      write($0).map { Array($0.utf8) }
    }
  }

  /// A term with one value. `form` says of a value that cannot be read what is accepted.
  static func value<Value: Sendable>(
    _ name: String, _ member: any WritableKeyPath<Query, Value?> & Sendable, longest: Int? = nil,
    read: @escaping @Sendable (String, Timestamp) -> Value?, form: Message,
    write: @escaping @Sendable (Value) -> String
  ) -> QueryTerm {
    QueryTerm(name, longest: longest) { (query, text, now) throws(InvalidRequest) in
      guard let value = read(text, now) else {
        throw InvalidRequest(.valueUnfit(name: name, value: text, form: form))
      }
      query[keyPath: member] = value
    } write: {
      $0[keyPath: member].map(write)
    }
  }

  /// A term with one value, which is not written if it is the usual one.
  static func value<Value: Sendable & Equatable>(
    _ name: String, _ member: any WritableKeyPath<Query, Value> & Sendable, usual: Value,
    read: @escaping @Sendable (String) -> Value?, form: Message, write: @escaping @Sendable (Value) -> String
  ) -> QueryTerm {
    QueryTerm(name) { (query, text, _) throws(InvalidRequest) in
      guard let value = read(text) else { throw InvalidRequest(.valueUnfit(name: name, value: text, form: form)) }
      query[keyPath: member] = value
    } write: {
      $0[keyPath: member] == usual ? nil : write($0[keyPath: member])
    }
  }

  static func string(
    _ name: String, _ member: any WritableKeyPath<Query, String?> & Sendable, longest: Int = longestText
  ) -> QueryTerm {
    QueryTerm(name, longest: longest, read: { query, text, _ in query[keyPath: member] = text }) { $0[keyPath: member] }
  }

  static func time(
    _ name: String, _ member: any WritableKeyPath<Query, Timestamp?> & Sendable, longest: Int? = nil
  ) -> QueryTerm {
    value(
      name, member, longest: longest, read: { RelativeTime.read($0, now: $1) }, form: .formTime,
      write: \.rfc3339Milliseconds)
  }

  /// A term with words, which may be repeated or have several with commas between.
  static func words<Word: Hashable & Sendable>(
    _ name: String, _ member: any WritableKeyPath<Query, Set<Word>> & Sendable, longest: Int = longestText,
    most: Int = .max, read: @escaping @Sendable (String) -> Word?, form: Message,
    write: @escaping @Sendable (Word) -> String
  ) -> QueryTerm {
    QueryTerm(name, isList: true, longest: longest) { (query, text, _) throws(InvalidRequest) in
      for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
        guard let value = read(word) else { throw InvalidRequest(.valueUnfit(name: name, value: word, form: form)) }
        query[keyPath: member].insert(value)
        guard query[keyPath: member].count <= most else {
          throw InvalidRequest(.valuesTooMany(name: name, count: most))
        }
      }
    } write: {
      let words = $0[keyPath: member].map(write).sorted()
      return words.isEmpty ? nil : words.joined(separator: ",")
    }
  }

  static func hosts(_ member: any WritableKeyPath<Query, Set<String>> & Sendable) -> QueryTerm {
    words("host", member, read: { $0.isEmpty ? nil : $0 }, form: .formHost, write: { $0 })
  }

  static func names(_ member: any WritableKeyPath<Query, Bool> & Sendable) -> QueryTerm {
    value(
      "names", member, usual: true, read: { Bool($0) }, form: .formOneOf(values: "true, false"), write: { String($0) })
  }

  /// The same term of a query that this one is a part of.
  func within<Whole: Sendable>(_ part: any WritableKeyPath<Whole, Query> & Sendable) -> QueryTerm<Whole> {
    let (read, write) = (read, write)
    return QueryTerm<Whole>(name: name, isList: isList) { (whole, value, now) throws(InvalidRequest) in
      try read(&whole[keyPath: part], value, now)
    } write: {
      write($0[keyPath: part])
    }
  }
}
