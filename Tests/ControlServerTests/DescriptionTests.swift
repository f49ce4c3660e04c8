import ChildProcesses
import ControlAPI
import ControlTesting
import Foundation
import HTTPTypes
import Jobs
import MessageLiterals
import Messages
import Testing

@testable import ControlServer

@Suite(.slot)
struct DescriptionTests {
  private static func document() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(APIDescription.document)) as? [String: Any])
  }

  private static func schemas() throws -> [String: [String: Any]] {
    let components = try #require(try document()["components"] as? [String: Any])
    return try #require(components["schemas"] as? [String: [String: Any]])
  }

  private static func values(_ schema: String) throws -> [String] {
    try #require(try schemas()[schema]?["enum"] as? [String])
  }

  private static func calls() throws -> [(method: String, path: String)] {
    let paths = try #require(try document()["paths"] as? [String: [String: Any]])
    return paths.flatMap { path, calls in calls.keys.map { ($0.uppercased(), path) } }
  }

  private static func route(_ method: String, _ path: String) throws -> ControlRoute {
    let path = path.replacing("{job}", with: "1")
    let method = try #require(HTTPRequest.Method(rawValue: method))
    return try ControlRoute(HTTPRequest(method: method, scheme: nil, authority: nil, path: path))
  }

  @Test func everyCallIsDescribed() throws {
    let described = Set(try Self.calls().map { "\($0.method) \($0.path)" })
    let words = [
      "status", "jobs", "groups", "explain", "changes", "events", "log", "pause", "resume", "reload", "credentials",
      "openapi.json",
    ]
    let names = JobCommand.Name.allCases.map(\.rawValue)
    let paths =
      ["/metrics", "/v1/jobs/{job}"] + words.map { "/v1/" + $0 }
      + names.map { "/v1/jobs/" + $0 }
      + names.map { "/v1/jobs/{job}/" + $0 }
    var found: Set<String> = []
    for path in paths {
      for method in ["GET", "POST"] where (try? Self.route(method, path)) != nil { found.insert("\(method) \(path)") }
    }
    #expect(found == described)
  }

  /// What the command and the fleet's agent send.
  @Test func requestsMatchDescription() throws {
    let job = JobReference.number(JobNumber(rawValue: 1))
    var filter = JobFilter()
    (filter.states, filter.step, filter.spool, filter.name, filter.error) = (
      [.aborted, .queued], .upload, "a", "b", "c"
    )
    (filter.since, filter.until) = (Timestamp(seconds: 1), Timestamp(seconds: 2))
    var group = filter
    group.like = JobNumber(rawValue: 1)
    let digest = try #require(GroupDigest("\(String(repeating: "0", count: 32)).1.2.3.4"))
    let commands: [JobCommand] = [
      .confirm(link: "a:b"), .cancel(reason: "a", remove: true), .retry, .release(to: "/a"), .discard,
    ]
    var requests: [(path: String, body: [UInt8])] = commands.map {
      ("/v1/jobs/{job}/\($0.name.rawValue)", CommandBody($0, revision: 7).json)
    }
    let selections: [JobSelection] = [
      .all, .seen([SeenJob(job, revision: 7), SeenJob(job, revision: nil)]), .filter(filter),
      .group(group, digest),
    ]
    for command in commands where command.name.isForMany {
      requests += selections.map { ("/v1/jobs/\(command.name.rawValue)", BulkBody(command, $0).json) }
    }
    for target in [Pause.Target.all, .intake, .spool("a"), .destination(.storage("a")), .destination(.backend("a"))] {
      requests += ["/v1/pause", "/v1/resume"].map { ($0, PauseBody(target).json) }
    }
    requests.append(("/v1/resume", PauseBody(.recovered).json))
    let paths = try #require(try Self.document()["paths"] as? [String: [String: [String: Any]]])
    for (path, body) in requests {
      let request = try #require(paths[path]?["post"]?["requestBody"] as? [String: Any], "\(path)")
      let content = try #require(request["content"] as? [String: [String: Any]])
      let schema = try #require(content["application/json"]?["schema"] as? [String: Any])
      let sent = try #require(
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
      #expect(try Members(Self.schemas()).allows(Set(sent.keys), schema), "\(path): \(sent)")
    }
  }

  @Test func enumValuesMatchCode() throws {
    let info = try #require(try Self.document()["info"] as? [String: Any])
    #expect(info["version"] as? String == WaybillVersion.current)
    #expect(try Self.values("State") == JobState.allCases.map(\.rawValue))
    #expect(try Self.values("Phase") == JobPhase.allCases.map(\.rawValue))
    #expect(try Self.values("Step") == Step.allCases.map(\.rawValue))
    #expect(try Self.values("EventKind").sorted() == EventMessage.names.sorted())
    let failure = try #require(try Self.schemas()["Failure"]?["properties"] as? [String: [String: Any]])
    #expect((failure["kind"]?["enum"] as? [String])?.sorted() == Failure.Kind.allCases.map(\.rawValue).sorted())
    let job = try #require(try Self.schemas()["Job"]?["properties"] as? [String: [String: Any]])
    let remote = (job["remote"]?["enum"] as? [Any])?.compactMap { $0 as? String }
    #expect(remote == Remote.allCases.map(\.rawValue))
    let words = try #require(try Self.schemas()["ProblemCode"]?["description"] as? String)
    for code in ProblemCode.allCases { #expect(words.contains(code.rawValue), "\(code.rawValue)") }
  }

  @Test func manualHasEveryCall() throws {
    let manual = try String(contentsOfFile: Products.source("man/waybill-api.7"), encoding: .utf8)
    let letters = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789_-")
    let words = Set(manual.components(separatedBy: letters.inverted))
    for (_, path) in try Self.calls() {
      let last = path.split(separator: "/").last.map(String.init) ?? ""
      let isThere = last == "{job}" || last.split(separator: ".").allSatisfy { words.contains(String($0)) }
      #expect(isThere, "\(path)")
    }
  }

  @Test func descriptionIsServed() async throws {
    try await withControlServer(InMemoryJobs().operations) { socket in
      let served = try await Command.require(
        ["curl", "-q", "-sS", "--unix-socket", socket, "http://localhost/v1/openapi.json"])
      #expect(Array(served.utf8) == APIDescription.document)
    }
  }
}

/// Compares the names of members. What they may be is for a validator, with a real daemon (`APIConformanceTests`).
private struct Members {
  let schemas: [String: [String: Any]]

  init(_ schemas: [String: [String: Any]]) { self.schemas = schemas }

  /// True if a request may have exactly these members, none of which is deprecated.
  func allows(_ names: Set<String>, _ schema: [String: Any]) throws -> Bool {
    var schema = schema
    if let name = (schema["$ref"] as? String)?.split(separator: "/").last {
      schema = try #require(schemas[String(name)])
    }
    if let choices = schema["oneOf"] as? [[String: Any]] { return try choices.contains { try allows(names, $0) } }
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    let required = schema["required"] as? [String] ?? []
    return names.isSuperset(of: required)
      && names.allSatisfy { properties[$0].map { $0["deprecated"] as? Bool != true } ?? false }
  }
}
