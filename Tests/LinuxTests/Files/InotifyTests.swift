import Linux
import Testing

@Suite struct InotifyTests {
  @Test(arguments: [true, false]) func openingsAreReportedOnlyIfWanted(_ wanted: Bool) throws {
    let scratch = try Scratch()
    try scratch.write("x", bytes("f"))
    let inotify = try Inotify(path: scratch.path)
    _ = try inotify.watch(scratch.directory, withOpenings: wanted)
    let reader = try scratch.directory.open(bytes("f"))
    withExtendedLifetime(reader) {}
    try scratch.write("x", bytes("g"))
    try scratch.directory.remove(bytes("f"))
    let events = try inotify.read()
    func happened(_ name: String, _ happening: Inotify.Happening) -> Bool {
      events.contains { $0.name == bytes(name) && $0.happening.contains(happening) }
    }
    for name in ["f", "g"] { #expect(happened(name, .opened) == wanted, "\(name)") }
    if !wanted { #expect(!happened("f", .closedAfterReading)) }
    #expect(happened("g", .created) && happened("g", .modified) && happened("f", .removed))
  }
}
