import EventBus
import Testing

@Suite("Call sites")
struct CallSiteTests {
  @Test("A call site becomes the source site that a report names")
  func reporting() {
    #expect(SourceSite(CallSite("A/a.swift", 12)).description == "A/a.swift:12")
    #expect(SourceSite(CallSite("A/a.swift", .max)).line == UInt(UInt32.max))
  }
}
