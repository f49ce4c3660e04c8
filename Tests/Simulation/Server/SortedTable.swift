/// Values by name, in the names' order. A dictionary has an order of its own in each process.
package struct SortedTable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
  package struct Entry: Codable, Hashable, Sendable {
    package var name: String
    package var value: Value
  }

  /// All values, sorted by the bytes of their names.
  package private(set) var entries: [Entry] = []

  package init() {}

  package subscript(name: String) -> Value? {
    get {
      let place = place(of: name)
      return holds(name, at: place) ? entries[place].value : nil
    }
    set {
      let place = place(of: name)
      switch (holds(name, at: place), newValue) {
      case (true, let value?): entries[place].value = value
      case (true, nil): entries.remove(at: place)
      case (false, let value?): entries.insert(Entry(name: name, value: value), at: place)
      case (false, nil): break
      }
    }
  }

  private func holds(_ name: String, at place: Int) -> Bool { place < entries.count && entries[place].name == name }

  private func place(of name: String) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name.utf8.lexicographicallyPrecedes(name.utf8) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
