import CommandParts
import ControlAPI
import Jobs
import Messages

/// A piece of a page in HTML. Interpolated values are text and are escaped; only other markup is not.
struct Markup: ExpressibleByStringInterpolation, Sendable, Hashable {
  /// The piece as it is sent.
  private(set) var html: String

  init(stringLiteral html: String) { self.html = html }
  init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

  /// An empty piece.
  static let none: Markup = ""

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      html.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { html += literal }
    mutating func appendInterpolation(_ text: String) { Markup.append(text, to: &html) }
    mutating func appendInterpolation(_ number: some BinaryInteger) { html += String(number) }
    mutating func appendInterpolation(_ piece: Markup) { html += piece.html }
    mutating func appendInterpolation(_ pieces: [Markup]) { for piece in pieces { html += piece.html } }
  }

  static func += (piece: inout Markup, other: Markup) { piece.html += other.html }

  /// Appends a text so that it begins no element, no reference and no attribute. Invisible characters, and those that change the
  /// direction of writing, are shown as escapes.
  private static func append(_ text: String, to html: inout String) {
    for scalar in DisplayText.escape(text).unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      default: html.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Markup {
  /// Words of the page: sent in English, and translated by the page's script, which finds them by their key. `{0}`, `{1}`, …
  /// stand for the values.
  static func words(_ key: String, _ english: String, _ values: String...) -> Markup {
    var text = english
    for (place, value) in values.enumerated() { text = text.replacing("{\(place)}", with: value) }
    guard !values.isEmpty else { return "<span data-t=\"\(key)\">\(text)</span>" }
    let shown = values.map { DisplayText.escape($0) }
    let json = (try? ControlJSON.encode(shown)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    return "<span data-t=\"\(key)\" data-v=\"\(json)\">\(text)</span>"
  }

  /// A sentence of a daemon, which the page's script translates by its code and arguments, if it has any.
  static func said(_ sentence: String, _ message: Message?) -> Markup {
    guard let message else { return "<span>\(sentence)</span>" }
    return "<span data-said=\"\(message.json)\">\(sentence)</span>"
  }

  /// A message, which the page's script translates.
  static func said(_ message: Message) -> Markup { said(message.text, message.coded) }

  /// A time, which the page's script shows by the reader's clock.
  static func time(_ text: String) -> Markup { "<time datetime=\"\(text)\">\(text)</time>" }

  /// A link that looks like a button, or one in a text.
  static func link(_ path: String, _ query: [(String, String)], _ label: Markup, button: Bool = false) -> Markup {
    let target = query.isEmpty ? path : path + "?" + FormFields.text(query)
    return button ? "<a class=\"button\" href=\"\(target)\">\(label)</a>" : "<a href=\"\(target)\">\(label)</a>"
  }

  /// A number with commas: `1,026`.
  static func grouped(_ number: some BinaryInteger) -> String { Words.grouped(Int(number)) }

  /// A span of time in its two largest units: `3min 2s`.
  static func span(_ seconds: Double) -> String { Words.age(.seconds(Int64(exactly: seconds.rounded(.down)) ?? 0)) }

  /// A number of bytes: `1.5 MiB`.
  static func bytes(_ count: Int64) -> String { Words.bytes(count) }
}
