import EventBus
import Testing

@Suite("Reclamation under every interleaving")
struct ReclamationModelTests {
  @Test("With one reader and one writer, nothing is freed while in use and nothing leaks")
  func oneAndOne() {
    let search = ReclamationSearch(ReclamationModel(readers: 1, writers: 1))
    #expect(!search.foundUseAfterFree)
    #expect(!search.foundLostSweep)
    #expect(search.stateCount > 100)
  }

  @Test("With two readers and one writer, nothing is freed while in use and nothing leaks")
  func twoAndOne() {
    let search = ReclamationSearch(ReclamationModel(readers: 2, writers: 1))
    #expect(!search.foundUseAfterFree)
    #expect(!search.foundLostSweep)
    #expect(search.stateCount > 1_000)
  }

  @Test("With two readers and two alternating writers, nothing is freed early and nothing leaks")
  func twoAndTwo() {
    let search = ReclamationSearch(ReclamationModel(readers: 2, writers: 2))
    #expect(!search.foundUseAfterFree)
    #expect(!search.foundLostSweep)
    #expect(search.stateCount > 10_000)
  }

  @Test("The search detects every planted fault", arguments: ReclamationModel.Fault.allCases)
  func findsMistakes(_ fault: ReclamationModel.Fault) {
    let search = ReclamationSearch(ReclamationModel(readers: 2, writers: 2), fault: fault)
    #expect(search.foundUseAfterFree || search.foundLostSweep)
  }
}
