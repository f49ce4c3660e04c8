import ControlAPI

/// What an agent reads of its daemon is what the general decoder reads of it too.
enum ChangesInput {
  static func take(_ bytes: [UInt8]) {
    if let read = try? ChangesMessage(json: bytes) {
      let decoded = try? ControlJSON.decode(ChangesMessage.self, from: bytes)
      promise(decoded == read, "other changes than the decoder's")
    }
    if let read = try? JobPage(json: bytes) {
      let decoded = try? ControlJSON.decode(JobPage.self, from: bytes)
      promise(decoded == read, "another page of jobs than the decoder's")
    }
  }
}
