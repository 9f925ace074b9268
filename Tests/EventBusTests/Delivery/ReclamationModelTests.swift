import EventBus
import TestSupport
import Testing

@Suite("Reclamation under every interleaving")
struct ReclamationModelTests {
  @Test("Nothing is freed while in use and nothing leaks, however readers and writers interleave")
  func everyInterleaving() {
    for (readers, writers, states) in [(1, 1, 100), (2, 1, 1_000), (1, 2, 1_000), (2, 2, 10_000)]
    where readers + writers < 4 || isFullSize {
      let search = ReclamationSearch(ReclamationModel(readers: readers, writers: writers))
      #expect(!search.foundUseAfterFree, "\(readers) readers, \(writers) writers")
      #expect(!search.foundLostSweep, "\(readers) readers, \(writers) writers")
      #expect(search.stateCount > states)
    }
  }

  @Test("The search detects every planted fault", arguments: ReclamationModel.Fault.allCases)
  func findsMistakes(_ fault: ReclamationModel.Fault) {
    // Most show with few agents, whose states are soon visited.
    let isFound = [(1, 1), (2, 1), (1, 2), (2, 2)].contains { readers, writers in
      let model = ReclamationModel(readers: readers, writers: writers)
      let search = ReclamationSearch(model, fault: fault)
      return search.foundUseAfterFree || search.foundLostSweep
    }
    #expect(isFound)
  }
}
