import Simulation

extension Life {
  /// Removes the registered object of a dropped file at the storage. Its file is nobody's business any more.
  func removeObject(ofFile number: Int) {
    guard let name = name(ofFile: number) else { return }
    let documents = world.network.withSides { $0.removeObject(ofFile: name, at: elapsed) }
    withBooks { books in
      for document in documents {
        books.mayBeRemoved(id: document.job)
        books.givenUp(name: document.name)
      }
    }
  }
}
