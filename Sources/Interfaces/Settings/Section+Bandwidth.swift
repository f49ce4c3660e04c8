import Jobs

/// Limits of bandwidth: one for all times, or several by the time of the week.
extension Section {
  private static let form = "bandwidth = [{ from = \"Mon-Fri 08:00\", to = \"18:00\", limit = \"2MiB\" }]"

  /// Returns a plan of limits; the default is no limit.
  mutating func bandwidth(_ key: String) -> BandwidthPlan {
    guard case .array? = table[key]?.value else {
      return BandwidthPlan(otherwise: sendLimit(key, size(key, default: "0", in: "0"..."1TiB")))
    }
    guard let nodes = array(key, atMost: 100, of: "limits by the time", example: Self.form) else {
      return BandwidthPlan()
    }
    var plan = BandwidthPlan()
    var taken = [Int?](repeating: nil, count: BandwidthPlan.week)
    var hasDefault = false
    for (number, node) in nodes.enumerated() {
      guard case .table(let inner) = node.value else {
        problem(key, "has \(node.shown) in it where a table belongs", "write it like \(Self.form)", line: node.line)
        continue
      }
      var entry = Section(
        file: file, path: "\(keyPath(key))[\(number + 1)]", line: node.line, table: inner, problems: problems)
      let found = entry.windows()
      entry.finish()
      guard let (limit, windows) = found else { continue }
      guard let windows else {
        if hasDefault { entry.problem("limit", "is a second limit without from and to", "leave one of them out") }
        (plan.otherwise, hasDefault) = (limit, true)
        continue
      }
      for window in windows {
        let minutes = (window.from..<window.end).map { $0 % BandwidthPlan.week }
        if let other = minutes.lazy.compactMap({ taken[$0] }).first {
          entry.problem(
            "from", "overlaps with \(other == number + 1 ? "itself" : "entry \(other)")",
            "let each time have one limit")
          break
        }
        for minute in minutes { taken[minute] = number + 1 }
        plan.windows.append(window)
      }
    }
    return plan
  }

  /// Reads one entry; nil if a problem was reported. Without windows, the limit is that for all other times.
  private mutating func windows() -> (limit: Int64, windows: [BandwidthPlan.Window]?)? {
    if table["limit"] == nil { missing("limit", example: "\"2MiB\"") }
    let isThere = table["limit"] != nil
    let limit = sendLimit("limit", size("limit", default: "0", in: "0"..."1TiB"))
    let (from, to) = (text("from", example: "\"Mon-Fri 08:00\""), text("to", example: "\"18:00\""))
    guard isThere, !hasProblem("limit"), !hasProblem("from"), !hasProblem("to") else { return nil }
    guard let from, let to else {
      if from != nil { missing("to", example: "\"18:00\"") }
      if to != nil { missing("from", example: "\"08:00\"") }
      return from == nil && to == nil ? (limit, nil) : nil
    }
    guard let start = WeekTime(from), start.minute < 24 * 60 else {
      problem("from", "\(Quoted(from)) is not a time of the week", "write it like \"Mon-Fri 08:00\" or \"08:00\"")
      return nil
    }
    guard let end = WeekTime(to) else {
      problem("to", "\(Quoted(to)) is not a time", "write it like \"18:00\" or \"Mon 06:00\"")
      return nil
    }
    let day = 24 * 60
    if !end.days.isEmpty {
      guard end.days.count == 1, start.days.count == 1, let first = start.days.first, let last = end.days.first else {
        problem("to", "names days where from does not name just one", "write it like \"18:00\"")
        return nil
      }
      let begin = first * day + start.minute
      let minutes = (last * day + end.minute - begin + 2 * BandwidthPlan.week) % BandwidthPlan.week
      guard minutes > 0 else { return sameTime() }
      return (limit, [BandwidthPlan.Window(from: begin, minutes: minutes, limit: limit)])
    }
    guard end.minute != start.minute else { return sameTime() }
    let minutes = end.minute - start.minute + (end.minute < start.minute ? day : 0)
    let days = start.days.isEmpty ? Array(0..<7) : start.days
    return (limit, days.map { BandwidthPlan.Window(from: $0 * day + start.minute, minutes: minutes, limit: limit) })
  }

  private func sameTime() -> (limit: Int64, windows: [BandwidthPlan.Window]?)? {
    problem("to", "is the same time as from", "a whole day is from = \"00:00\", to = \"24:00\"")
    return nil
  }

  /// Checks a limit. Below 16 KiB a second, portions would have to be a few bytes to be sent often enough to keep servers from
  /// giving up.
  private func sendLimit(_ key: String, _ limit: Int64) -> Int64 {
    if limit > 0, limit < 16 << 10 {
      problem(key, "is less than 16KiB a second", "write at least \"16KiB\", or \"0\" for no limit")
    }
    return limit
  }
}

/// A time of day, on some days of the week or on all: `Mon-Fri 08:00`, `Sat,Sun 10:00`, `18:00`.
struct WeekTime {
  /// The days, Monday is 0, in the order of the text; empty if none are named.
  var days: [Int] = []
  /// The minute of the day, 0 … 1,440.
  var minute: Int

  private static let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// Reads a time; nil if the text is none.
  init?(_ text: String) {
    let words = text.split(whereSeparator: \.isBlank)
    guard (1...2).contains(words.count), let minute = Self.minute(words[words.count - 1]) else { return nil }
    self.minute = minute
    guard words.count == 2 else { return }
    for part in words[0].split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: part.contains("..") ? ".." : "-", omittingEmptySubsequences: false)
      guard (1...2).contains(ends.count), let first = Self.day(ends[0]), let last = Self.day(ends[ends.count - 1])
      else { return nil }
      let count = (last - first + 7) % 7
      days += (0...count).map { (first + $0) % 7 }
    }
    guard Set(days).count == days.count else { return nil }
  }

  private static func day(_ text: Substring) -> Int? {
    let name = text.lowercased()
    return names.firstIndex { $0 == name || $0.prefix(3) == name }
  }

  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(\.isDigit) }),
      parts[1].count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60,
      hour * 60 + minute <= 24 * 60
    else { return nil }
    return hour * 60 + minute
  }
}
