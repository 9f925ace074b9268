import EventBus
import Testing

@Suite("Call sites")
struct CallSiteTests {
  @Test("Two call sites are the same only if line and literal are")
  func sameness() {
    let files: [StaticString] = ["A/a.swift", "B/b.swift", "A/aa.swift", "", "\u{41}"]
    let sites = files.flatMap { file in [CallSite(file, 1), CallSite(file, 2)] }
    for (index, site) in sites.enumerated() {
      for (other, second) in sites.enumerated() {
        #expect(site.isSame(as: second) == (index == other))
      }
    }
  }

  @Test("A call site becomes the source site that a report names")
  func reporting() {
    #expect(SourceSite(CallSite("A/a.swift", 12)).description == "A/a.swift:12")
    #expect(SourceSite(CallSite("A/a.swift", .max)).line == UInt(UInt32.max))
  }
}
