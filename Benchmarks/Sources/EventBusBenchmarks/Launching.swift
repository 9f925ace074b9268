import EventBus
import Foundation
import Harness
import LaunchLoader

extension Notification.Name {
  fileprivate static let launched = Notification.Name("benchmarks.launching.launched")
}

/// Registering, planning and running launch work.
///
/// The column EventBus is LaunchLoader here. The equivalent in a program without it is a block for a
/// notification, which each file adds and the start of the app posts; the closure loop is an array of
/// closures, called one after another.
enum Launching {
  static let rows = [
    registering("register a launch worker, of 3,000, named", named: true),
    registering("register a launch worker, of 3,000, nameless", named: false),
    launching("launch an empty worker, of 10,000, named", named: true),
    launching("launch an empty worker, of 10,000, nameless", named: false),
    Row(
      Figure("register and launch an empty worker, of 10,000, named", per: workers),
      pace: .single,
      entries: [registeringAndLaunching(after: { _ in [] }), observingAndPosting()]
    ),
    Row(
      Figure("register and launch an empty worker, of a chain of 10,000", per: workers),
      pace: .single,
      entries: [registeringAndLaunching(after: { $0 > 0 ? [$0 - 1] : [] }), observingAndPosting()]
    ),
    Row(
      Figure("register and launch an empty worker, of 10,000 with two dependencies", per: workers),
      pace: .single,
      entries: [
        registeringAndLaunching(after: { $0 > 1 ? [$0 - 1, $0 / 2] : [] }), observingAndPosting(),
      ]
    ),
    Row(
      Figure("launch an empty worker, of 10,000, by launch()", per: workers),
      pace: .single,
      entries: [launchingFromATask()]
    ),
    Row(
      Figure("launch an empty asynchronous worker, of 1,000", per: 1_000),
      pace: .single,
      entries: [launchingAsynchronously(1_000), startingTasks(1_000)]
    ),
    Row(
      Figure("launch an empty asynchronous worker of the main actor, of 1,000", per: 1_000),
      pace: .single,
      entries: [launchingOnMain(1_000), startingTasksOnMain(1_000)]
    ),
    Row(
      Figure("launch a worker of a random graph of 2,000", per: 2_000),
      pace: .single,
      entries: [launchingGraph(2_000)]
    ),
    Row(
      Figure("plan a random graph of 2,000", .milliseconds),
      pace: .single,
      entries: [planning(2_000)]
    ),
  ]

  private static let workers = 10_000

  private static func registering(_ title: String, named: Bool) -> Row {
    let count = 3_000
    return Row(
      Figure(title, per: count),
      pace: .single,
      entries: [
        Entry(.eventBus) {
          let names = names(count)
          return { _ in
            let loader = LaunchLoader()
            return nanoseconds { register(names, named: named, with: loader) {} }
          }
        },
        Entry(.notificationCenter) {
          { _ in
            let center = NotificationCenter()
            return nanoseconds { for _ in 0..<count { observe(center) {} } }
          }
        },
      ]
    )
  }

  /// Registers and launches all workers, each of which depends on those that a closure numbers.
  private static func registeringAndLaunching(
    after dependencies: @escaping @Sendable (Int) -> [Int]
  ) -> Entry {
    Entry(.eventBus) {
      let names = names(workers)
      let dependencies = (0..<workers).map { dependencies($0).map { names[$0] } }
      return { _ in
        let sink = opaque(Sink())
        let (loader, bus) = (LaunchLoader(), EventBus())
        let time = nanoseconds {
          for (name, dependencies) in zip(names, dependencies) {
            loader.register(name, after: dependencies) { _ in sink.add(1) }
          }
          let attachment = loader.attach(to: bus)
          bus.post(.didFinishLaunching, LaunchOptions())
          withExtendedLifetime(attachment) {}
        }
        expectDeliveries(sink.total, workers, by: .eventBus)
        return time
      }
    }
  }

  private static func observingAndPosting() -> Entry {
    Entry(.notificationCenter) {
      { _ in
        let (sink, center) = (opaque(Sink()), NotificationCenter())
        let time = nanoseconds {
          for _ in 0..<workers { observe(center) { sink.add(1) } }
          center.post(name: .launched, object: nil)
        }
        expectDeliveries(sink.total, workers, by: .notificationCenter)
        return time
      }
    }
  }

  private static func observe(_ center: NotificationCenter, _ body: @escaping @Sendable () -> Void)
  {
    _ = center.addObserver(forName: .launched, object: nil, queue: nil) { _ in body() }
  }

  private static func launching(_ title: String, named: Bool) -> Row {
    Row(
      Figure(title, per: workers),
      pace: .single,
      entries: [launching(named: named), calling()]
    )
  }

  private static func launching(named: Bool) -> Entry {
    Entry(.eventBus) {
      let names = names(workers)
      return { _ in
        let sink = opaque(Sink())
        let (loader, bus) = (LaunchLoader(), EventBus())
        register(names, named: named, with: loader) { sink.add(1) }
        let attachment = loader.attach(to: bus)
        let time = nanoseconds { bus.post(.didFinishLaunching, LaunchOptions()) }
        expectDeliveries(sink.total, workers, by: .eventBus)
        return withExtendedLifetime(attachment) { time }
      }
    }
  }

  private static func launchingFromATask() -> Entry {
    Entry(.eventBus) {
      let names = names(workers)
      return { _ in
        let sink = opaque(Sink())
        let loader = LaunchLoader()
        register(names, named: true, with: loader) { sink.add(1) }
        let time = await nanosecondsOfAllThreads { _ = try? await loader.launch(LaunchOptions()) }
        expectDeliveries(sink.total, workers, by: .eventBus)
        return time
      }
    }
  }

  private static func calling() -> Entry {
    Entry(.closureLoop) {
      { _ in
        let sink = opaque(Sink())
        var closures: [@Sendable (LaunchOptions) -> Void] = []
        for _ in 0..<workers { closures.append { _ in sink.add(1) } }
        closures = opaque(closures)
        let time = nanoseconds { for closure in closures { closure(LaunchOptions()) } }
        expectDeliveries(sink.total, workers, by: .closureLoop)
        return time
      }
    }
  }

  private static func launchingAsynchronously(_ count: Int) -> Entry {
    Entry(.eventBus) {
      { _ in
        let loader = LaunchLoader()
        registerAsynchronous(count, with: loader)
        return await nanosecondsOfAllThreads { _ = try? await loader.launch(LaunchOptions()) }
      }
    }
  }

  /// Not in the closure of an entry, which belongs to the main actor: so would the workers.
  private static func registerAsynchronous(_ count: Int, with loader: LaunchLoader) {
    for _ in 0..<count { loader.register { _ in await nothing() } }
  }

  private static func launchingOnMain(_ count: Int) -> Entry {
    Entry(.eventBus) {
      { _ in
        let loader = LaunchLoader()
        for _ in 0..<count { loader.register { @MainActor _ in await nothingOnMain() } }
        return await nanosecondsOfAllThreads { _ = try? await loader.launch(LaunchOptions()) }
      }
    }
  }

  private static func startingTasksOnMain(_ count: Int) -> Entry {
    Entry(.task) {
      { _ in
        await nanosecondsOfAllThreads {
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { await nothingOnMain() } }
          }
        }
      }
    }
  }

  private static func startingTasks(_ count: Int) -> Entry {
    Entry(.task) {
      { _ in
        await nanosecondsOfAllThreads {
          await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { await nothing() } }
          }
        }
      }
    }
  }

  private static func launchingGraph(_ count: Int) -> Entry {
    Entry(.eventBus) {
      { _ in
        let sink = opaque(Sink())
        let (loader, bus) = (LaunchLoader(), EventBus())
        registerGraph(count, with: loader) { sink.add(1) }
        let attachment = loader.attach(to: bus)
        let time = nanoseconds { bus.post(.didFinishLaunching, LaunchOptions()) }
        expectDeliveries(sink.total, count, by: .eventBus)
        return withExtendedLifetime(attachment) { time }
      }
    }
  }

  private static func planning(_ count: Int) -> Entry {
    Entry(.eventBus) {
      { _ in
        let loader = LaunchLoader()
        registerGraph(count, with: loader) {}
        return nanoseconds { consume((try? loader.plan())?.layers.count ?? 0) }
      }
    }
  }

  /// Each worker needs up to four of those before it, always the same ones.
  private static func registerGraph(
    _ count: Int,
    with loader: LaunchLoader,
    _ body: @escaping @Sendable () -> Void
  ) {
    let names = names(count)
    let phases: [LaunchPhase] = [.early, .standard, .late]
    var number: UInt64 = 42
    func next(below bound: Int) -> Int {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(number >> 33) % bound
    }
    for (index, name) in names.enumerated() {
      let dependencies = (0..<next(below: 5)).map { _ in names[next(below: index + 1)] }
      loader.register(
        name,
        after: dependencies.filter { $0 != name },
        phase: phases[next(below: 3)]
      ) { _ in body() }
    }
  }

  private static func register(
    _ names: [LaunchID],
    named: Bool,
    with loader: LaunchLoader,
    _ body: @escaping @Sendable () -> Void
  ) {
    for name in names { loader.register(named ? name : nil) { _ in body() } }
  }

  private static func names(_ count: Int) -> [LaunchID] {
    (0..<count).map { LaunchID("feature.module.\($0)") }
  }

  @inline(never)
  private static func nothing() async {}

  @MainActor
  @inline(never)
  private static func nothingOnMain() async {}
}
