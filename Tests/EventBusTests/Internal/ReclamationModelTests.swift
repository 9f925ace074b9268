import EventBus
import Testing

@Suite("Reclamation, in every interleaving")
struct ReclamationModelTests {
  @Test("One reader and one writer: nothing is freed in somebody's hands, nothing is forgotten")
  func oneAndOne() {
    let search = ReclamationSearch(ReclamationModel(readers: 1, writers: 1))
    #expect(!search.foundUseAfterFree)
    #expect(!search.foundLostSweep)
    #expect(search.stateCount > 100)
  }

  @Test("Two readers and one writer: nothing is freed in somebody's hands, nothing is forgotten")
  func twoAndOne() {
    let search = ReclamationSearch(ReclamationModel(readers: 2, writers: 1))
    #expect(!search.foundUseAfterFree)
    #expect(!search.foundLostSweep)
    #expect(search.stateCount > 1_000)
  }

  @Test("Two readers and two writers in turn: nothing is freed too early, nothing forgotten")
  func twoAndTwo() {
    let search = ReclamationSearch(ReclamationModel(readers: 2, writers: 2))
    #expect(!search.foundUseAfterFree)
    #expect(!search.foundLostSweep)
    #expect(search.stateCount > 10_000)
  }

  @Test("The search finds every planted mistake", arguments: ReclamationModel.Fault.allCases)
  func findsMistakes(_ fault: ReclamationModel.Fault) {
    let search = ReclamationSearch(ReclamationModel(readers: 2, writers: 2), fault: fault)
    #expect(search.foundUseAfterFree || search.foundLostSweep)
  }
}
