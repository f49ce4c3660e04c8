import ControlAPI
import Testing

@Suite struct FleetPersonTests {
  @Test func descriptionSeparatesPersonAndRole() {
    #expect(FleetPerson("anna")?.description == "anna (fleet)")
    #expect(FleetPerson("anna", role: "ops")?.description == "anna (fleet, role ops)")
    #expect(FleetPerson("Anna Ü. 日", role: "Ü 2")?.description == "Anna Ü. 日 (fleet, role Ü 2)")
  }

  @Test(arguments: [
    "", " ", " a", "a ", "a,b", "anna (fleet, role boss)", "a)", "(", "a\nb", "a\r\nWaybill-On-Behalf-Role: boss",
    "a\0", "\u{202E}a",
    "a\u{2028}b", "\u{1B}[31m", String(repeating: "x", count: 129),
  ]) func rejectsInvalidNames(name: String) {
    #expect(FleetPerson(name) == nil)
    #expect(FleetPerson("anna", role: name) == nil)
  }

  @Test func replacesForbiddenCharacters() {
    #expect(FleetPerson.fitting("a,b (c)\n") == "a_b _c__")
    #expect(FleetPerson(String(repeating: "x", count: 128), role: String(repeating: "r", count: 63)) != nil)
    #expect(FleetPerson("anna", role: String(repeating: "r", count: 64)) == nil)
  }
}
