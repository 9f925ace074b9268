import LaunchLoader
import TestSupport
import Testing

@Suite("Names of launch work")
struct LaunchNamesTests {
  let loader = LaunchLoader()

  @Test("Names that are canonically equivalent are one name")
  func equivalent() async throws {
    for (name, other) in [("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}")] {
      loader.register(LaunchID(name)) { _ in }
      let second = loader.register(LaunchID(other)) { _ in }
      #expect(second.outcome?.description == "duplicate of \(name)")
    }
  }

  @Test(
    "Of several registrations the first has the name, whenever that is asked, until it is withdrawn"
  )
  func random() {
    for seed in 1...size(20, full: 200) {
      var numbers = SampleNumbers(seed: seed)
      let loader = LaunchLoader()
      var owners: [LaunchID: LaunchRegistration] = [:]
      var duplicates: [LaunchRegistration] = []
      for _ in 0..<100 {
        let id = LaunchID("name \(numbers.next(below: 10))")
        switch numbers.next(below: 8) {
        case 0: if owners.removeValue(forKey: id)?.cancel() == false { Issue.record("\(seed)") }
        case 1: #expect(duplicates.allSatisfy { $0.outcome != nil && !$0.cancel() }, "\(seed)")
        default:
          let registration = loader.register(id) { _ in }
          if owners[id] == nil {
            owners[id] = registration
          } else {
            duplicates.append(registration)
          }
        }
      }
      #expect(
        duplicates.allSatisfy { $0.outcome?.description.hasPrefix("dupl") == true },
        "\(seed)"
      )
      #expect(duplicates.allSatisfy { $0.original != nil }, "\(seed)")
      #expect(owners.values.allSatisfy { $0.outcome == nil && $0.original == nil }, "\(seed)")
    }
  }

  @Test("A duplicate knows where its name was registered first, before the launch and after it")
  func original() async throws {
    let first = loader.register("a") { _ in }
    let second = loader.register("a") { _ in }
    #expect(second.original == first.site)
    try await loader.launch()
    #expect(loader.register("a") { _ in }.original == first.site)
    #expect(try await second.waitUntilFinished().description == "duplicate of a")
  }
}
