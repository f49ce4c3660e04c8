import ChildProcesses
import ControlAPI
import Foundation
import Jobs
import MessageLiterals
import Messages
import Testing

/// The JSON Schemas of a job and an event, against the messages.
@Suite struct EventSchemaTests {
  private static func members(_ value: some Encodable) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(ControlJSON.encode(value))) as? [String: Any])
  }

  /// A job with an error and a hold, so that their members are there too.
  private static func message() throws -> JobMessage {
    var job = MessageTests.job()
    _ = try job.apply(.begin, now: Timestamp(seconds: 1), steady: Timestamp(seconds: 1))
    let failure = Failure(.throttled, "HTTP 429", status: 429)
    _ = try job.apply(
      .finished(attempt: 1, .failed(failure, .wait(after: .seconds(30)))), now: Timestamp(seconds: 2),
      steady: Timestamp(seconds: 2))
    return JobMessage(job, path: nil, heldBy: HoldMessage(destination: "storage.main", reason: "throttled"))
  }

  @Test func schemaMatchesJobMembersAndWords() throws {
    let schema = try SchemaFile("job")
    let members = try Self.members(try Self.message())
    let described = try schema.members(schema.root)
    #expect(described.keys.sorted() == members.keys.sorted())
    #expect(try schema.required(schema.root) == Set(members.keys), "each is there, be it null")
    for (name, key) in [("error", "error"), ("hold", "held_by")] {
      let inner = try #require(members[key] as? [String: Any])
      let part = try schema.definition(name)
      #expect(try schema.members(part).keys.sorted() == inner.keys.sorted())
      #expect(try schema.required(part) == Set(inner.keys))
    }
    #expect(try schema.words(try #require(described["state"])) == JobState.allCases.map(\.rawValue))
    #expect(try schema.words(try #require(described["phase"])) == JobPhase.allCases.map(\.rawValue))
    #expect(try schema.words(try #require(described["step"])) == Step.allCases.map(\.rawValue))
    #expect(try schema.words(try #require(described["remote"])) == Remote.allCases.map(\.rawValue))
    let kind = try #require(try schema.members(try schema.definition("error"))["kind"])
    #expect(Set(try schema.words(kind) ?? []) == Set(Failure.Kind.allCases.map(\.rawValue)))
  }

  @Test func schemaMatchesEventMembersAndNames() throws {
    let schema = try SchemaFile("event")
    let event = EventMessage(
      Occurrence(
        .gateClosed, of: .destination(.storage("main")), at: Timestamp(seconds: 1), message: "m",
        by: Caller(uid: 1, user: "anna")))
    let members = try Self.members(event)
    let described = try schema.members(schema.root)
    #expect(described.keys.sorted() == members.keys.sorted())
    #expect(try schema.required(schema.root) == Set(members.keys))
    #expect(try schema.words(try #require(described["event"])) == EventMessage.names)
    let by = try #require(described["by"])
    #expect(try schema.members(by).keys.sorted() == (members["by"] as? [String: Any])?.keys.sorted())
  }
}
