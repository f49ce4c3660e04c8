import ChildProcesses
import Foundation

/// Programs that others wrote, as readers of what Waybill takes and sends: check-jsonschema, standardwebhooks, cloudevents,
/// httpx-sse and sseclient-py.
enum PublicReaders {
  private static let python = Products.source(".build-test/readers-venv/bin/python")

  static func schema(_ name: String) -> String { Products.source("share/schemas/\(name).json") }

  /// Returns what is wrong with each file by a schema; a file that fits is not among them. It has to be JSON or TOML.
  static func faults(_ schema: String, _ files: [String]) async throws -> [String: String] {
    try await faults(["--schemafile", Self.schema(schema)], files)
  }

  static func faults(ofSchemas files: [String]) async throws -> [String: String] {
    try await faults(["--check-metaschema"], files)
  }

  private static func faults(_ options: [String], _ files: [String]) async throws -> [String: String] {
    guard !files.isEmpty else { throw Missing("there is no file to check") }
    let command = try await Command.run(
      [python, "-m", "check_jsonschema", "--no-cache", "-o", "JSON"] + options + files)
    guard [0, 1].contains(command.status), let said = try? JSONValue(parsing: command.output) else {
      throw Missing("check-jsonschema ended with \(command.status): \(command.output) \(command.errors)")
    }
    var faults: [String: String] = [:]
    for fault in said.errors.array {
      faults[fault.filename.string ?? "", default: ""] += "\(fault.path.string ?? ""): \(fault.message.string ?? "") "
    }
    for fault in said.parse_errors.array { faults[fault.filename.string ?? "", default: ""] += "\(fault) " }
    guard (command.status == 0) == faults.isEmpty else {
      throw Missing("check-jsonschema ended with \(command.status): \(command.output) \(command.errors)")
    }
    return faults
  }

  static func faults(_ schema: String, texts: [String]) async throws -> [String: String] {
    let folder = try TemporaryFolder()
    return try await faults(schema, try texts.enumerated().map { try folder.write("\($0.offset).json", $0.element) })
  }

  /// What `Tests/Support/read-webhooks.py` says of requests, one value for each.
  static func read(webhooks requests: [JSONValue], secrets: [String]) async throws -> [JSONValue] {
    let given: JSONValue = ["requests": .array(requests), "secrets": .array(secrets.map { .string($0) })]
    let command = try await Command.run(
      [python, Products.support("read-webhooks.py")], input: Data(given.description.utf8))
    guard command.status == 0 else { throw Missing("read-webhooks.py: \(command.errors)") }
    return try JSONValue(parsing: command.output).array
  }

  /// Starts `Tests/Support/read-events.py`, which prints each event of a stream as a line of JSON.
  static func events(
    _ library: String, socket: String, after: String? = nil, in folder: URL, log: String
  ) throws -> ChildProcess {
    try ChildProcess(
      [python, Products.support("read-events.py"), library, socket] + (after.map { [$0] } ?? []),
      folder: folder, log: log)
  }
}
