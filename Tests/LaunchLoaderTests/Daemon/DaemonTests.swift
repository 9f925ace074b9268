#if os(Linux) || os(macOS)
import TestSupport
import Testing

/// The program of `Examples/Daemon`, which an article shows.
@Suite("The example of a daemon", .timeLimit(.minutes(5)))
struct DaemonTests {
  /// The output that the article quotes; see ``DaemonArticleTests``.
  enum Output {
    static let wrongArgument = #"daemon: unknown argument "--setings""#
    static let usage = "usage: daemon [--settings FILE]"
    static let one = "news: one"
    static let two = "news: two"
    static let done = "daemon: a.txt is done"
    static let reloaded = "daemon: new settings are in effect"
    static let notReloaded =
      "daemon: the old settings stay in effect: "
      + "settings.json: pause is -1.0, and must be from 0 to 3600"
    static let notStarted =
      #"daemon: Launch work "settings" failed: "#
      + "settings.json: pause is -1.0, and must be from 0 to 3600."
    static let unreadable = "daemon: b.txt cannot be read as text; it stays in the spool"
    static func inUse(_ spool: String) -> String {
      #"daemon: Launch work "spool lock" failed: another daemon uses the spool "# + spool + "."
    }
    static func unlocked(_ spool: String) -> String { "daemon: the spool \(spool) is unlocked" }

    /// All of them.
    static let quoted: Set = [
      wrongArgument, usage, one, two, done, reloaded, notReloaded, notStarted, unreadable,
      inUse("/var/lib/daemon/spool"), unlocked("/var/lib/daemon/spool"),
    ]
    /// The file whose lock keeps other daemons out.
    static let lock = ".daemon.lock"
    /// The beginning of the message about a failure after which the service starts again.
    static let startsAgain = #"daemon: Service "Announcer" has failed and starts again in "#
  }

  private let daemon: SupervisedDaemon

  init() throws { daemon = try SupervisedDaemon() }

  @Test("The daemon reports its readiness, announces what is in the spool, and stops in order")
  func announce() throws {
    try daemon.writeSettings()
    try daemon.put("one\ntwo\n", as: "a.txt")
    try daemon.start()
    #expect(try daemon.manager.nextMessage() == "READY=1")
    #expect(try daemon.line() == Output.one)
    #expect(try daemon.line() == Output.two)
    #expect(try daemon.line() == Output.done)
    #expect(!daemon.hasInSpool("a.txt"))
    try daemon.signal(SIGTERM)
    #expect(try daemon.manager.nextMessage() == "STOPPING=1")
    #expect(try daemon.line() == Output.unlocked(daemon.spool.path))
    #expect(try daemon.wait() == 0)
  }

  @Test("A spool that disappears for a while is reported, and its files are announced afterwards")
  func spoolAway() throws {
    try daemon.writeSettings()
    try daemon.start()
    #expect(try daemon.manager.nextMessage() == "READY=1")
    try daemon.moveSpoolAway()
    var line = try daemon.line()
    try daemon.moveSpoolBack()
    #expect(line.hasPrefix(Output.startsAgain + "500 ms, restart 1 in a row: "))
    try daemon.put("one\n", as: "a.txt")
    // On a busy machine, a second attempt may have failed before the spool was back.
    while line.hasPrefix(Output.startsAgain) { line = try daemon.line() }
    #expect(line == Output.one)
    #expect(try daemon.line() == Output.done)
    try daemon.signal(SIGTERM)
    #expect(try daemon.line() == Output.unlocked(daemon.spool.path))
    #expect(try daemon.wait() == 0)
  }

  @Test("A second daemon on the same spool exits with 75, until the first one has stopped")
  func secondDaemon() throws {
    try daemon.writeSettings()
    try daemon.start()
    #expect(try daemon.manager.nextMessage() == "READY=1")
    #expect(daemon.hasInSpool(Output.lock))
    let second = try SupervisedDaemon()
    try second.writeSettings(spool: daemon.spool.path)
    try second.start()
    #expect(try second.line() == Output.inUse(daemon.spool.path))
    #expect(try second.wait() == 75)
    #expect(try second.manager.message() == "STOPPING=1")
    #expect(daemon.hasInSpool(Output.lock))

    try daemon.signal(SIGTERM)
    #expect(try daemon.line() == Output.unlocked(daemon.spool.path))
    #expect(try daemon.wait() == 0)
    #expect(!daemon.hasInSpool(Output.lock))
    try second.start()
    #expect(try second.manager.nextMessage() == "READY=1")
    #expect(daemon.hasInSpool(Output.lock))
  }

  @Test("Files that are being written are skipped, and those that are not text are named once")
  func unreadable() throws {
    try daemon.writeSettings()
    try daemon.put("not complete\n", as: ".hidden")
    try daemon.put("\u{0}\n", as: "a.txt")
    try daemon.putNoText(as: "b.txt")
    try daemon.start()
    #expect(try daemon.line() == "news: \u{0}")
    #expect(try daemon.line() == Output.done)
    #expect(try daemon.line() == Output.unreadable)
    try daemon.put("one\n", as: "a.txt")
    #expect(try daemon.line() == Output.one)
    #expect(try daemon.line() == Output.done)
    #expect(daemon.hasInSpool("b.txt") && daemon.hasInSpool(".hidden"))
  }

  @Test("A reload puts new settings into effect; wrong ones are reported, and the old ones stay")
  func reload() throws {
    try daemon.writeSettings()
    try daemon.start()
    #expect(try daemon.manager.nextMessage() == "READY=1")
    try daemon.writeSettings(label: "weather")
    try reload(says: Output.reloaded)
    try daemon.writeSettings(pause: -1)
    try reload(says: Output.notReloaded)
    try daemon.writeSettings(spool: "/nowhere/at/all")
    try reload(
      says: "daemon: the old settings stay in effect: "
        + "settings.json: spool is /nowhere/at/all, where nothing can be written"
    )
    try daemon.put("rain\n", as: "a.txt")
    #expect(try daemon.line() == "weather: rain")
    #expect(try daemon.line() == Output.done)
  }

  @Test("A reload with another spool leaves a pass in the spool where it began, and moves the lock")
  func reloadOfTheSpool() throws {
    let other = try ScratchPath(isFolder: true)
    try other.write("three\n", to: "c.txt")
    try daemon.writeSettings(pause: 1)
    try daemon.put("one\n", as: "a.txt")
    try daemon.put("two\n", as: "c.txt")
    try daemon.start()
    #expect(try daemon.line() == Output.one)
    try daemon.writeSettings(spool: other.path)
    try daemon.signal(SIGHUP)
    // The reload ends during the pause after the first line, or on a busy machine later.
    let lines = try (0..<7).map { _ in try daemon.line() }
    let expected = [
      Output.reloaded, Output.done, Output.two, "daemon: c.txt is done",
      Output.unlocked(daemon.spool.path), "news: three", "daemon: c.txt is done",
    ]
    #expect(lines.sorted() == expected.sorted())
    #expect(lines.suffix(3) == expected.suffix(3) && !daemon.hasInSpool("c.txt"))
    try daemon.signal(SIGTERM)
    #expect(try daemon.line() == Output.unlocked(other.path))
  }

  private func reload(says line: String) throws {
    try daemon.signal(SIGHUP)
    #expect(try daemon.manager.nextMessage().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(try daemon.line() == line)
    #expect(try daemon.manager.nextMessage() == "READY=1")
  }

  @Test("A stop during an announcement completes it at once, and the others stay in the spool")
  func stop() throws {
    try daemon.writeSettings(pause: 3_600)
    try daemon.put("one\ntwo\n", as: "a.txt")
    try daemon.put("one\n", as: "c.txt")
    try daemon.start()
    #expect(try daemon.line() == Output.one)
    #expect(try daemon.manager.nextMessage() == "READY=1")
    try daemon.signal(SIGTERM)
    #expect(try daemon.line() == Output.two)
    #expect(try daemon.line() == Output.done)
    #expect(try daemon.line() == Output.unlocked(daemon.spool.path))
    #expect(try daemon.wait() == 0)
    #expect(throws: (any Error).self) { try daemon.line() }
    #expect(try daemon.manager.message() == "STOPPING=1")
    #expect(!daemon.hasInSpool("a.txt") && daemon.hasInSpool("c.txt"))

    try daemon.start()
    #expect(try daemon.line() == Output.one)
  }

  @Test("The next daemon announces a file again from its beginning after the last one was killed")
  func kill() throws {
    try daemon.writeSettings(pause: 3_600)
    try daemon.put("one\ntwo\n", as: "a.txt")
    try daemon.start()
    #expect(try daemon.line() == Output.one)
    try daemon.signal(SIGKILL)
    #expect(try daemon.wait() == -SIGKILL)
    #expect(daemon.hasInSpool("a.txt") && daemon.hasInSpool(Output.lock))

    try daemon.writeSettings()
    try daemon.start()
    #expect(try daemon.line() == Output.one)
    #expect(try daemon.line() == Output.two)
    #expect(try daemon.line() == Output.done)
  }

  @Test("A closed pipe ends the daemon after three restarts, and the file stays in the spool")
  func closedPipe() throws {
    try daemon.writeSettings()
    try daemon.put("one\n", as: "a.txt")
    try daemon.startWithAReaderOfOneLine()
    let lines = [try daemon.line(), try daemon.line()]
    #expect(Set(lines) == ["closed", Output.done])
    try daemon.put("two\n", as: "a.txt")
    for (pause, number) in [("500 ms", 1), ("1 s", 2), ("2 s", 3)] {
      let line = try daemon.line()
      #expect(line.hasPrefix(Output.startsAgain + "\(pause), restart \(number) in a row: "))
      #expect(line.contains("Broken pipe"))
    }
    #expect(try daemon.line() == Output.unlocked(daemon.spool.path))
    let line = try daemon.line()
    #expect(line.hasPrefix(#"daemon: AppHost failed: Service "Announcer" failed after as "#))
    #expect(line.contains("Broken pipe"))
    #expect(try daemon.line() == "status 70")
    #expect(daemon.hasInSpool("a.txt"))
  }

  @Test(
    "Wrong arguments are named with the usage, and the daemon exits with 64",
    arguments: [
      (["--setings", "settings.json"], Output.wrongArgument),
      (["settings.json"], #"daemon: unknown argument "settings.json""#),
      (["--settings"], "daemon: --settings needs a file"),
    ]
  )
  func wrongArguments(_ arguments: [String], _ line: String) throws {
    try daemon.start(arguments)
    #expect(try daemon.line() == line)
    #expect(try daemon.line() == Output.usage)
    #expect(try daemon.wait() == 64)
  }

  @Test("The help option prints the usage and exits with 0", arguments: ["--help", "-h"])
  func help(_ argument: String) throws {
    try daemon.start([argument])
    #expect(try daemon.line() == Output.usage)
    #expect(try daemon.wait() == 0)
  }

  @Test("Wrong settings are named, the daemon exits with 78, and it was never ready")
  func wrongSettings() throws {
    try daemon.writeSettings(pause: -1)
    try daemon.start()
    #expect(try daemon.line() == Output.notStarted)
    #expect(try daemon.wait() == 78)
    #expect(try daemon.manager.message() == "STOPPING=1")

    let beginning = #"daemon: Launch work "settings" failed: settings.json: "#
    try daemon.writeSettings("{ ")
    try daemon.start()
    #expect(try daemon.line().hasPrefix(beginning))
    #expect(try daemon.wait() == 78)

    try daemon.start(["--settings", "nowhere.json"])
    #expect(try daemon.line().contains("nowhere.json: "))
    #expect(try daemon.wait() == 78)
  }

  @Test("The daemon notifies the watchdog of its manager")
  func watchdog() throws {
    try daemon.writeSettings()
    try daemon.start(watchdog: 600_000_000)
    // Two tasks, and so in any order.
    let messages = [try daemon.manager.nextMessage(), try daemon.manager.nextMessage()]
    #expect(Set(messages) == ["WATCHDOG=1", "READY=1"])
  }
}
#endif
