import SeededNumbers

/// Changes inputs at random, the same way for the same seed.
///
/// It has no knowledge of the code: libFuzzer has (see `scripts/fuzz`). This one needs no instrumented build.
struct Mutator {
  private var generator: SplitMix64
  private let corpus: [[UInt8]]
  private static let longest = 1 << 15
  /// What parsers trip over.
  private static let tokens: [[UInt8]] =
    [
      "\0", "\n", "\r\n", "\"", "\\", "{", "}", "{{", "[[", "]]", "<", ">", "<!--", "<![CDATA[", "]]>", "&", "&#0;",
      "&#xD800;", "%", "%00", "%2F", "..", "/", "~", "=", "-1", "0", "9223372036854775807", "9223372036854775808",
      "1e999",
      "NaN", "null", "true", "\u{1B}[2J", "\u{202E}", "\u{FEFF}", "\u{2028}",
    ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]]

  init(corpus: [[UInt8]], seed: UInt64) {
    self.corpus = corpus
    generator = SplitMix64(seed: seed)
  }

  /// An input that nobody has seen.
  mutating func next() -> [UInt8] {
    var input = corpus.randomElement(using: &generator) ?? []
    for _ in 0..<Int.random(in: 1...8, using: &generator) { change(&input) }
    return Array(input.prefix(Self.longest))
  }

  private mutating func change(_ input: inout [UInt8]) {
    let place = Int.random(in: 0...input.count, using: &generator)
    let end = Int.random(in: place...min(input.count, place + 64), using: &generator)
    switch Int.random(in: 0..<7, using: &generator) {
    case 0 where place < input.count: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1 where place < input.count: input[place] = .random(in: .min ... .max, using: &generator)
    case 2: input.removeSubrange(place..<end)
    case 3: input.insert(contentsOf: input[place..<end], at: place)
    case 4: input.insert(contentsOf: Self.tokens.randomElement(using: &generator) ?? [], at: place)
    case 5:
      let other = corpus.randomElement(using: &generator) ?? []
      input = Array(input[..<place]) + other.dropFirst(Int.random(in: 0...other.count, using: &generator))
    default:
      let piece = Array(input[place..<end])
      for _ in 0..<Int.random(in: 1...16, using: &generator) { input.insert(contentsOf: piece, at: place) }
    }
  }
}
