import EventBus
import LaunchLoader
import Testing
import Theming

@testable import Inspector

@Suite("The values behind the page")
struct ModelTests {
  @Test("A ring keeps the newest elements with their numbers")
  func ring() {
    for capacity in 1...5 {
      var ring = Ring<Int>(capacity: capacity)
      for number in 0..<13 {
        ring.append(number)
        let start = max(0, number + 1 - capacity)
        #expect(ring.start == start)
        #expect(ring.end == number + 1)
        for first in -1...14 {
          for last in first...14 {
            let wanted = (first..<last).clamped(to: start..<number + 1)
            #expect(ring.elements(first..<last) == Array(wanted))
          }
        }
      }
    }
  }

  @Test("A string has one index, and those beyond the limit have that of the overflow")
  func strings() {
    var table = StringTable(limit: 2)
    let site = SourceSite(fileID: "A/B.swift", line: 3)
    #expect(table.index(of: "one") == 1)
    #expect(table.index(of: site) == 2)
    #expect(table.index(of: "one") == 1)
    #expect(table.index(of: String(repeating: "x", count: 500)) == 3)
    #expect(table.index(of: "five") == 0)
    #expect(table.index(of: site) == 2)
    #expect(table.strings[2] == "A/B.swift:3")
    #expect(table.strings[3].count == 201)
    #expect(table.strings.count == 4)
  }

  @Test("Any number of names leaves the sites of the code their own indices, and the reverse")
  func namesAndSites() {
    var table = StringTable(limit: 3)
    for number in 0..<10 { _ = table.index(of: "name \(number)") }
    let sites = (1...4).map { table.index(of: SourceSite(fileID: "A/B.swift", line: $0)) }
    #expect(sites == [4, 5, 6, 0])
    #expect(table.index(of: "name 2") == 3)
    #expect(table.strings.count == 7)
  }

  @Test("Text in JSON cannot end a script element or a string")
  func escaping() {
    let nasty = "</script><!--\"\\\u{0}\n\u{1F}\u{2028}&é😀"
    let text = JSON.object([(nasty, .string(nasty))]).text
    let escaped = #"\u003c/script\u003e\u003c!--\"\\\u0000\u000a\u001f\u2028\u0026é😀"#
    #expect(text == "{\"\(escaped)\":\"\(escaped)\"}")
    #expect(!text.contains("<"))
  }

  @Test("Numbers in JSON are exact")
  func numbers() {
    let values: JSON = [1, -5, true, .null, .decimal(12, thousandths: 7), JSON(Int.max)]
    #expect(values.text == "[1,-5,true,null,12.007,9223372036854775807]")
  }

  @Test("A row of observers is marked while its number only grows")
  func growth() {
    func grows(_ history: [Int]) -> Bool { ObserverTable.Row(history: history).isGrowing }
    #expect(grows([1, 2, 3, 4]))
    #expect(grows([1, 1, 2, 2, 2, 3, 9, 9]))
    #expect(!grows([1, 2, 3, 3]), "Two steps may be a beginning.")
    #expect(!grows([1, 2, 3, 4, 3, 4, 5]), "It has shrunk.")
    #expect(!grows([5, 5, 5, 5]))
    #expect(!grows([]))
    #expect(!grows([1, 2, 3, 4] + Array(repeating: 4, count: 20)), "It has stopped growing.")
  }

  @Test("The observers of one line are one row, with their sums")
  func rows() {
    let bus = EventBus(label: "rows")
    let name = EventName<Int>("number")
    let tokens = (0..<3).map { _ in bus.observe(name) { _ in } }
    let other = bus.observe(name) { _ in }
    let pause = other.pause()
    var table = ObserverTable()
    table.sample(bus.snapshot())
    #expect(table.total == 4)
    #expect(table.rows.count == 2)
    let row = table.rows.values.first { $0.count == 3 }
    #expect(row?.alive == 3)
    #expect(row?.paused == 0)
    #expect(table.rows.values.first { $0.count == 1 }?.paused == 1)
    withExtendedLifetime((tokens, other, pause)) {}
  }

  @Test("The dependencies of a plan reach the page, whatever the names contain")
  func edges() throws {
    let loader = LaunchLoader()
    let nasty = LaunchID("a \"b\" -> \\ c")
    loader.register(nasty) { _ in }
    loader.register("d", after: [nasty], afterIfPresent: ["e"]) { _ in }
    loader.register("e") { _ in }
    let edges: JSON = [
      ["from": .string(nasty.rawValue), "to": "d", "isHard": true],
      ["from": "e", "to": "d", "isHard": false],
    ]
    let launch = LaunchView(plan: try loader.plan())
    #expect(launch.json.text.contains("\"edges\":\(edges.text)"))
  }

  @Test("Services are waited for while they start and while they stop")
  func services() throws {
    var table = ServiceTable()
    for (state, isWaitedFor) in [
      (AppServiceState.starting, true), (.ready, false), (.unready, false), (.stopping, true),
    ] {
      table.note("db", state, at: 5)
      #expect(table.json.text.contains("\"isWaitedFor\":\(isWaitedFor)"))
    }
    table.note("db", .ended, "broken", at: 6)
    #expect(table.json.text.contains("\"isWaitedFor\":false"))
    #expect(table.rows.count == 1)
    #expect(table.rows[0].history.map(\.state) == [.starting, .ready, .unready, .stopping, .ended])
    #expect(table.rows[0].error == "broken")
  }

  @Test("A service that starts again keeps its last error, and a regular end removes it")
  func restartedServices() {
    var table = ServiceTable()
    table.note("feed", .starting, at: 1)
    table.note("feed", .pausing, "no connection", at: 2)
    table.note("feed", .starting, attempt: 2, at: 3)
    #expect(table.rows[0].isWaitedFor == false)
    table.note("feed", .ready, attempt: 2, at: 4)
    #expect(table.rows[0].error == "no connection")
    #expect(table.json.text.contains("\"attempt\":2"))
    table.note("feed", .ended, attempt: 2, at: 5)
    #expect(table.rows[0].error == nil)
  }

  @Test("A service that has not started is listed, with its dependencies")
  func waitingServices() throws {
    let app = AppHost(bus: EventBus(), loader: LaunchLoader())
    try app.add("db") { _ in }
    try app.add("web", after: ["db"]) { _ in }
    var table = ServiceTable()
    table.note("inside/group", .starting, at: 1)
    table.note("db", .starting, at: 2)
    table.note(app.services, at: 3)
    #expect(table.rows.map(\.name) == ["inside/group", "db", "web"])
    #expect(table.rows.map(\.state) == [.starting, .starting, nil])
    #expect(table.rows.map(\.dependencies) == [[], [], ["db"]])
    #expect(table.rows.map(\.isWaitedFor) == [true, false, false], "Nothing is under way.")
    #expect(table.json.text.contains("\"state\":\"waiting\""))
    #expect(table.json.text.contains("\"after\":[\"db\"]"))
  }

  @Test("The table of services is bounded")
  func servicesAreBounded() {
    var table = ServiceTable()
    for number in 0..<(ServiceTable.limit + 9) {
      table.note("service \(number)", .starting, at: 0)
      table.note("service 0", .ready, at: 0)
      table.note(.active, at: 0)
    }
    #expect(table.rows.count == ServiceTable.limit)
    #expect(table.rows[0].history.count == ServiceTable.limit)
    #expect(table.states.count == ServiceTable.limit)
  }
}
