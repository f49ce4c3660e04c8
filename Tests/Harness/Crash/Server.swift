import Foundation

/// What the server has by its own lists, and whether that fits the jobs.
struct Server {
  let objects: [String: JSONValue]
  /// The keys of uploads in parts that are neither completed nor aborted.
  let unfinished: [String]
  /// What is wrong whatever the jobs are.
  private(set) var faults: [String] = []
  private let linesByID: [String: [JSONValue]]
  private let owners: Set<String>

  init(_ sandboxes: [Sandbox]) async throws {
    var lines: [JSONValue] = []
    var objects: [String: JSONValue] = [:]
    var unfinished: [String] = []
    for sandbox in sandboxes {
      lines += try sandbox.registrations()
      let own = try await sandbox.objects()
      objects.merge(own) { one, _ in one }
      let state = try await sandbox.state()
      unfinished += state.uploads.array.map { $0.key.string ?? "" }
      if state.registrations.mismatched != 0 { faults.append("an id came with two bodies: \(state.registrations)") }
      // what it says of its objects is held against the bytes themselves
      let bytes = try await Books.sums(in: [sandbox.data.appending(path: "objects")])
        .filter { !$0.key.contains("/.") }
      if bytes.values.sorted() != own.values.compactMap(\.sha256.string).sorted() {
        faults.append("the objects are not what their records say")
      }
    }
    self.objects = objects
    self.unfinished = unfinished
    linesByID = Dictionary(grouping: lines) { $0.body.id.string ?? "" }
    owners = Set(objects.values.compactMap { $0.metadata["waybill-id"].string })
  }

  func faults(of job: JSONValue, _ entry: Books.Entry) -> [String] {
    let id = job.id.string ?? ""
    let lines = linesByID[id] ?? []
    var faults: [String] = []
    func expect(_ holds: Bool, _ words: String) { if !holds { faults.append("\(entry.name), \(job.state): \(words)") } }
    if let state = entry.fate.state { expect(job.state.string == state, "should be \(state)") }
    if entry.fate == .any {
      let state = job.state.string ?? ""
      let command = ["cancelled": "cancel", "discarded": "discard"][state]
      expect(command.map(entry.commands.contains) ?? true, "nobody has asked for that")
      expect(["registered", "aborted", "cancelled", "discarded"].contains(state), "still open")
    }
    // a cancel or an abort may come when the backend has it already, and the answer was lost
    expect(lines.count <= 1, "registered \(lines.count) times")
    if job.state == "registered" {
      let key = lines.first?.body.key.string ?? ""
      expect(lines.count == 1, "not registered")
      expect(lines.first?.body.name.string == entry.name, "registered as \(lines.first?.body.name ?? .null)")
      let expected = entry.files.isEmpty ? ["": entry.sha256] : entry.files
      for (path, sum) in expected {
        let object = objects[key + path]
        expect(object?.sha256.string == sum, "its object is \(object ?? .null)")
        expect(object?.metadata["waybill-id"].string == id, "its object is another job's")
      }
      if !entry.files.isEmpty {
        let listed = lines.first?.body.files.array.compactMap(\.path.string) ?? []
        expect(listed.sorted() == entry.files.keys.sorted(), "registered with \(listed)")
      }
      expect(!job.disposed_at.isNull, "not disposed of")
      if entry.sidecar != nil {
        expect(lines.first?.body.metadata.of.string == entry.name, "registered without its description")
      }
    }
    if entry.fate == .removed { expect(job.remote == "clean", "\(job.remote) at the storage") }
    if job.remote == "clean" { expect(!owners.contains(id), "its object is left") }
    return faults
  }

  /// Uploads in parts that are nobody's any more. An aborted job keeps its own: a retry goes on with it.
  func leftovers(_ jobs: [JSONValue]) -> [String] {
    let ids = jobs.filter { $0.state == "aborted" }.compactMap(\.id.string)
    return unfinished.filter { key in !ids.contains { key.contains($0) } }.map { "an upload in parts is left: \($0)" }
  }

  func strangers(besides ids: Set<String>) -> [String] {
    linesByID.keys.filter { !ids.contains($0) }.map { "\($0) is registered and is nobody's" }
      + objects.filter { !ids.contains($0.value.metadata["waybill-id"].string ?? "") }.keys
      .map { "the object \($0) is nobody's" }
  }
}
