import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that a crash between claim and admission left in `.waybill`, each under the id that was minted for it.
@Suite(.slot)
struct AdoptionTests {
  /// A file there: the id in its name, and the id that it asks for.
  private struct Left {
    var id: String
    var name: String
    var wanted: String?
  }

  private func leave(_ files: [Left], in rig: Rig) async throws {
    try await rig.drop(
      files.map {
        .init(
          name: Array(".waybill/\($0.id)~\($0.name)".utf8), data: Array($0.name.utf8),
          attributes: $0.wanted.map { ["user.waybill.id": Array($0.utf8)] } ?? [:])
      })
  }

  @Test func adoptsRequestedIDIfFree() async throws {
    try await withRig { rig in
      let moment = Date.now
      func id(_ number: Int) -> String { MintedID.text(number, at: moment) }
      try await rig.drop([
        .init(name: Array("first.pdf".utf8), data: [1], attributes: ["user.waybill.id": Array(id(9).utf8)])
      ])
      let first = try await rig.daemon.job(named: "first.pdf", in: "registered")
      #expect(first.id.string == id(9))
      _ = try await rig.daemon.stop()
      try await leave(
        [
          Left(id: id(1), name: "asks.pdf", wanted: id(5)),
          Left(id: id(2), name: "asks too.pdf", wanted: id(5)),
          Left(id: id(3), name: "asks for a job's.pdf", wanted: id(9)),
          Left(id: id(4), name: "asks for nonsense.pdf", wanted: "17"),
          Left(id: id(6), name: "asks for a neighbour's.pdf", wanted: id(7)),
          Left(id: id(7), name: "neighbour.pdf"),
          // What two files asked for at the same moment in two spools.
          Left(id: id(9), name: "has another's.pdf"),
        ], in: rig)
      try await rig.drop([
        .init(name: Array("outside.pdf".utf8), data: [1], attributes: ["user.waybill.id": Array(id(8).utf8)])
      ])
      try await rig.daemon.start()
      try await until("all to be registered") { try await rig.daemon.count("registered") == 9 }
      let ids = Dictionary(uniqueKeysWithValues: try await rig.daemon.jobs().map { ($0.name.string, $0.id.string) })
      #expect(ids["outside.pdf"] == id(8))
      #expect(Set([ids["asks.pdf"], ids["asks too.pdf"]]).contains(id(5)))
      #expect(Set([ids["asks.pdf"], ids["asks too.pdf"]]).isDisjoint(with: [id(9), nil]))
      #expect(ids["asks for a job's.pdf"] == id(3) && ids["asks for nonsense.pdf"] == id(4))
      #expect(ids["asks for a neighbour's.pdf"] == id(6) && ids["neighbour.pdf"] == id(7))
      #expect(ids["first.pdf"] == id(9) && Set(ids.values).count == 9, "\(ids)")
      try await until("the files to go") { try rig.filesLeft() == [] }
    }
  }
}
