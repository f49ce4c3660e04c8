/// Finds the word that a person most probably meant.
package enum EditDistance {
  /// Returns the number of letters to add, leave out, change or swap with their neighbour to make one word from the other
  /// (optimal string alignment).
  package static func between(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    var beforeLast = [Int](repeating: 0, count: other.count + 1)
    var last = Array(0...other.count)
    for (i, letter) in one.enumerated() {
      var row = [i + 1]
      for (j, against) in other.enumerated() {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter == against ? 0 : 1))
        if i > 0, j > 0, letter == other[j - 1], one[i - 1] == against { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      (beforeLast, last) = (last, row)
    }
    return last[other.count]
  }

  /// Returns the most similar of the known words, or nil if none is similar enough: a third of the letters may be wrong, and at
  /// least one. A hyphen counts as an underscore.
  package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
    // Long words are no misspelt keys; skipping them limits the work.
    guard word.utf8.count <= 64 else { return nil }
    let normal = word.lowercased().map { $0 == "-" ? "_" : String($0) }.joined()
    let ranked = known.map { (distance: between(normal, $0), word: $0) }
    guard let best = ranked.min(by: { ($0.distance, $0.word) < ($1.distance, $1.word) }) else { return nil }
    return best.distance <= max(1, best.word.utf8.count / 3) ? best.word : nil
  }
}
