import ChildProcesses
import Testing

@testable import Models

/// Walks through every state of ``FailoverModel``, each once.
@Suite(.aside) struct FailoverModelTests {
  @Test func neverLosesRepeatsOrSendsStopped() {
    let (fault, states) = FailoverModel.walk(nil)
    #expect(fault == nil)
    #expect(states > 10_000, "the walk goes somewhere: \(states)")
    print("failover model: \(states) states")
  }

  @Test(arguments: FailoverModel.Flaw.allCases)
  func findsEachPlantedFlaw(_ flaw: FailoverModel.Flaw) {
    #expect(FailoverModel.walk(flaw).fault != nil)
  }
}
