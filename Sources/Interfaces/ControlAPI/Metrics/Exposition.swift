import Jobs

/// Metrics as text, in Prometheus' format 0.0.4: one family after the other, each with its description.
package struct Exposition {
  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  package init() {}

  package enum Kind: String {
    case counter, gauge, histogram
  }

  /// One value with its labels.
  package struct Sample {
    let labels: [(name: String, value: String)]
    let value: String

    package init(_ value: some BinaryInteger, _ labels: (name: String, value: String)...) {
      self.labels = labels
      self.value = String(value)
    }

    package init(_ time: Duration, _ labels: (name: String, value: String)...) {
      self.labels = labels
      value = Exposition.decimal(time.microseconds)
    }
  }

  package private(set) var text = ""

  package mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    begin(name, kind, help)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  /// Adds a histogram of times, which are counted in microseconds and shown in seconds.
  package mutating func times(_ name: String, _ help: String, _ histogram: Histogram) {
    begin(name, .histogram, help)
    var count = 0
    for (bound, values) in zip(histogram.bounds, histogram.counts) {
      count += values
      line(name + "_bucket", [("le", Self.decimal(bound))], String(count))
    }
    count += histogram.counts.last ?? 0
    line(name + "_bucket", [("le", "+Inf")], String(count))
    line(name + "_sum", [], Self.decimal(histogram.sum))
    line(name + "_count", [], String(count))
  }

  private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func line(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  /// Returns a label's value with those characters escaped that would end the value or the line.
  private static func escaped(_ value: String) -> String {
    var text = ""
    for character in value.unicodeScalars {
      switch character {
      case "\\": text += #"\\"#
      case "\"": text += #"\""#
      case "\n": text += #"\n"#
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }

  /// Returns microseconds as seconds, without the loss of a floating-point number.
  static func decimal(_ microseconds: Int64) -> String {
    let (seconds, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    let sign = microseconds < 0 ? "-" : ""
    guard rest > 0 else { return sign + String(seconds) }
    var digits = String(rest)
    digits = String(repeating: "0", count: 6 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(sign)\(seconds).\(digits)"
  }
}
