import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Launch work runs exactly once")
struct ExactlyOnceTests {
  let bus = EventBus()
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("The event launches once, however often it is posted")
  func eventLaunchesOnce() {
    loader.register { [log] options in log.append(options.arguments.joined()) }
    let attachment = loader.attach(to: bus)
    bus.post(.didFinishLaunching, LaunchOptions(arguments: ["first"]))
    bus.post(.didFinishLaunching, LaunchOptions(arguments: ["second"]))
    #expect(log.entries == ["first"])
    withExtendedLifetime(attachment) {}
  }

  @Test("The event that announces the launch does not launch")
  func willFinishLaunchingDoesNothing() {
    loader.register { [log] _ in log.append("ran") }
    let attachment = loader.attach(to: bus)
    #expect(bus.post(.willFinishLaunching, LaunchOptions()) == 0)
    #expect(log.entries.isEmpty)
    withExtendedLifetime(attachment) {}
  }

  @Test("Every attachment has ended before the first worker runs", arguments: [true, false])
  func attachmentsEndFirst(launchesByEvent: Bool) async throws {
    let other = EventBus()
    let attachments = [loader.attach(to: bus), loader.attach(to: other)]
    let active = Log<Bool>()
    loader.register { _ in
      for attachment in attachments { active.append(attachment.isActive) }
      active.append(other.post(.didFinishLaunching, LaunchOptions()) > 0)
    }
    #expect(attachments.allSatisfy { $0.isActive })
    if launchesByEvent {
      bus.post(.didFinishLaunching, LaunchOptions())
    } else {
      try await loader.launch()
    }
    #expect(active.entries == [false, false, false])
  }

  @Test("Dropping the attachment detaches the loader")
  func droppingDetaches() {
    loader.register { [log] _ in log.append("ran") }
    var attachment: Token? = loader.attach(to: bus)
    #expect(attachment?.isActive == true)
    attachment = nil
    #expect(bus.post(.didFinishLaunching, LaunchOptions()) == 0)
    #expect(log.entries.isEmpty)
  }

  @Test("An attachment keeps its loader alive")
  func attachmentKeepsLoader() {
    var attachment: Token? = {
      let loader = LaunchLoader()
      loader.register { [log] _ in log.append("ran") }
      return loader.attach(to: bus)
    }()
    bus.post(.didFinishLaunching, LaunchOptions())
    #expect(log.entries == ["ran"])
    #expect(attachment?.isActive == false)
    attachment = nil
  }

  @Test("Attaching a loader that has launched does nothing")
  func attachingLate() async throws {
    try await loader.launch()
    let attachment = loader.attach(to: bus)
    #expect(!attachment.isActive)
    #expect(bus.post(.didFinishLaunching, LaunchOptions()) == 0)
  }

  @Test("Attaching and dropping repeatedly leaves one attachment to end")
  func attachmentsAreSwept() async throws {
    for _ in 0..<1_000 { loader.attach(to: bus).cancel() }
    let attachment = loader.attach(to: bus)
    try await loader.launch()
    #expect(!attachment.isActive)
  }

  @Test("A second launch returns the stored report and runs nothing")
  func launchAgain() async throws {
    loader.register("a") { [log] options in log.append(options.arguments.joined()) }
    let first = try await loader.launch(LaunchOptions(arguments: ["first"]))
    let second = try await loader.launch(LaunchOptions(arguments: ["second"]))
    #expect(log.entries == ["first"])
    #expect(first.summary == ["a finished"])
    #expect(second.summary == first.summary)
    #expect(second.total == first.total)
  }

  @Test("Launching during a launch waits for it and returns its report")
  func launchDuringLaunch() async throws {
    let mayEnd = ManualLatch()
    loader.register("slow") { _ in await mayEnd.wait() }
    loader.launchByEvent(on: bus)
    async let second = loader.launch()
    mayEnd.open()
    #expect(try await second.summary == ["slow finished"])
    #expect(try await loader.report().summary == ["slow finished"])
  }
}
