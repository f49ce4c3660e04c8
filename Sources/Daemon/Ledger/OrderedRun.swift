/// Elements in order, which come mostly at the end and go mostly from the beginning.
struct OrderedRun<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []
  /// The index of the first element: those before it are gone.
  private var start = 0

  var first: Element? { isEmpty ? nil : elements[start] }

  var isEmpty: Bool { start == elements.count }

  /// The elements in order.
  var all: ArraySlice<Element> { elements[start...] }

  mutating func insert(_ element: Element) {
    guard let last = elements.last, !isEmpty, element < last else {
      elements.append(element)
      return
    }
    elements.insert(element, at: place(of: element))
  }

  /// Removes an element; does nothing if it is not there.
  mutating func remove(_ element: Element) {
    let place = place(of: element)
    guard place < elements.count, elements[place] == element else { return }
    if place - start < elements.count - place {
      for index in stride(from: place, to: start, by: -1) { elements[index] = elements[index - 1] }
      start += 1
      if start == elements.count || start >= 4096 {
        elements.removeFirst(start)
        start = 0
      }
    } else {
      elements.remove(at: place)
    }
  }

  /// Returns the index of the first element that is not before the given one.
  private func place(of element: Element) -> Int {
    var (low, high) = (start, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if elements[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
