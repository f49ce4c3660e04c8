import ChildProcesses
import Settings
import Testing

/// What is said of settings that say what a success is, each with file, line and key path.
@Suite struct BrokenSuccessTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(arguments: [
    (
      "success = \"ok\"",
      #"F:8: backend.main.success: is the string "ok" where a table belongs; write it like success = { status = [200, 201], json = "ok" }"#
    ),
    (
      "success = { staus = [200] }", #"F:8: backend.main.success.staus: unknown key; did you mean "status"?"#
    ),
    (
      "success = { status = 200 }",
      "F:8: backend.main.success.status: is the integer 200 where an array of integers belongs; write it like status = [200, 201]"
    ),
    (
      "success = { status = [] }",
      "F:8: backend.main.success.status: is empty, so no answer would be a success; write it like status = [200, 201], or leave it out"
    ),
    (
      "success = { status = [200, \"201\"] }",
      #"F:8: backend.main.success.status: has the string "201" in it where an integer belongs; write it like status = [200, 201]"#
    ),
    (
      "success = { status = [200, 302] }",
      "F:8: backend.main.success.status: 302 is not a success; a status may be 200 to 299"
    ),
    (
      "success = { json = true }",
      #"F:8: backend.main.success.json: is the boolean true where a string belongs; write it like json = "ok" or "result.accepted""#
    ),
    (
      "success = { json = \"\" }",
      #"F:8: backend.main.success.json: is empty; write it like json = "ok" or "result.accepted""#
    ),
    (
      "success = { json = \"result..ok\" }",
      #"F:8: backend.main.success.json: "result..ok" is not a path to a member; write it like json = "ok" or "result.accepted": up to 16 names with a dot between them, 256 bytes in all"#
    ),
    (
      "[backend.main.success]\nstatus = [\n  200,\n  404,\n]",
      "F:11: backend.main.success.status: 404 is not a success; a status may be 200 to 299"
    ),
  ])
  func reportsInvalidSuccessSettings(line: String, said: String) throws {
    let text = Sample.smallest.replacing("[[spool]]", with: line + "\n[[spool]]")
    #expect(try Sample.problems(text, in: directory) == [said])
  }
}
