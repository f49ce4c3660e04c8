import Testing

@testable import ControlAPI

/// What is read of the kernel's line about the process.
struct ProcessFiguresTests {
  private let line =
    "4242 (way) bill d) S 1 4242 4242 0 -1 4194560 2000 0 3 0 120 35 0 0 20 0 9 0 8000 900000000 512 18446744073709551615 1 1"

  @Test func countsFieldsAfterProcessName() throws {
    let figures = try #require(ProcessFigures(stat: line, pageSize: 4096))
    #expect(figures.processorTime == .milliseconds(1550))
    #expect(figures.residentBytes == 512 * 4096)
  }

  @Test(arguments: ["", "4242 (waybilld", "4242 (waybilld) S 1 2 3", "no line at all"])
  func ignoresMalformedStatLines(line: String) {
    #expect(ProcessFigures(stat: line) == nil)
  }
}
