import Foundation
import Testing

@Suite("SharedSkins", .timeLimit(.minutes(5)))
struct SharedSkinsTests {
  @Test(
    "Two programs share a skin; a third one starts with it; one that ends leaves the others' lists"
  )
  func sharing() async throws {
    let first = try NodeProcess(program: "SharedSkins", ["--node=one"])
    let invitation = "In another terminal: "
    await eventually("it starts a server") { first.lines.contains { $0.hasPrefix(invitation) } }
    let url = try #require(
      first.lines.compactMap { line in
        line.hasPrefix(invitation) ? line.split(separator: " ").last.map(String.init) : nil
      }.first
    )
    let second = try NodeProcess(program: "SharedSkins", [url, "--node=two"])
    await eventually("they see each other") {
      first.lines.contains("two joined") && second.lines.contains("one joined")
    }
    try second.type("2")
    await eventually("the other one follows") { first.lines.contains("Ember, chosen by two") }
    #expect(second.lines.contains("Ember, chosen by two"))
    try first.type("3")
    await eventually("and back") { second.lines.contains("Meadow, chosen by one") }
    let third = try NodeProcess(program: "SharedSkins", [url, "--node=three"])
    await eventually("it starts with the last skin") {
      third.lines.contains("Meadow, chosen by one")
    }
    #expect(!third.lines.contains("Ember, chosen by two"))
    try second.type("q")
    await eventually("it leaves") { first.lines.contains("two left") }
    await eventually("it ends") { !second.isRunning }
    third.kill()
    await eventually("a killed one is noticed") { first.lines.contains("three left") }
    try first.type("q")
    await eventually("it ends") { !first.isRunning }
  }
}
