import ChildProcesses
import Testing

@testable import Harness

/// The libraries that the programs need. ICU and its data alone are larger than all else, and nothing here speaks of cultures.
@Suite(.slot) struct LibrariesTests {
  private static let large = ["Foundation", "FoundationInternationalization", "FoundationXML", "FoundationNetworking"]

  @Test(arguments: [Products.daemon, Products.command, Products.sandbox])
  func noProgramLinksICU(_ program: String) async throws {
    // Also what its libraries need: a release build has the same parts in it.
    let needed = try await Command.require(["ldd", program])
      .split(separator: "\n").compactMap { $0.split(whereSeparator: \.isWhitespace).first.map(String.init) }
    #expect(needed.contains { $0.hasPrefix("libc.so.") }, "\(needed)")
    for library in needed {
      let name = library.prefix { $0 != "." }
      #expect(!name.contains("ICU") && !name.hasPrefix("libicu"), "\(library)")
      #expect(!Self.large.contains { name == "lib\($0)" }, "\(library): import FoundationEssentials instead")
    }
  }
}
