import ChildProcesses
import Foundation
import Testing

@testable import waybill

/// The services that `waybill init` knows, compared with the page about them.
@Suite struct ProviderTests {
  /// The words of a cell in back quotes.
  private static func quoted(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  @Test func rowsMatchStoragesPage() throws {
    let page = try String(contentsOfFile: Products.source("docs/storages.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    .filter { !$0[1].hasPrefix("your") }
    #expect(rows.compactMap { Self.quoted($0[1]).first } == Provider.all.map(\.endpoint))
    for (row, provider) in zip(rows, Provider.all) {
      #expect(row[0].lowercased().contains(provider.name), "\(row[0])")
      #expect(provider.region != nil || provider.word != nil, "\(provider.name)")
      #expect((provider.word == nil) == (provider.example == nil), "\(provider.name)")
      if provider.region == "auto" { #expect(Self.quoted(row[1]).last == "auto", "\(provider.name)") }
      if let setting = provider.setting { #expect(Self.quoted(row[2]).contains(setting), "\(provider.name)") }
    }
  }

  @Test func wordIsReplacedInAddress() throws {
    for (name, value, address) in [
      ("AWS", "eu-west-1", "https://s3.eu-west-1.amazonaws.com"),
      ("hetzner", "fsn1", "https://fsn1.your-objectstorage.com"),
      ("storj", "", "https://gateway.storjshare.io"),
    ] { #expect(Provider.named(name)?.address(value) == address) }
    #expect(Provider.named("nobody") == nil)
  }
}
