import EventBus
import Foundation
import Harness

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.home.tick")
  fileprivate static let a = EventName<Int>("benchmarks.home.a")
  fileprivate static let b = EventName<Int>("benchmarks.home.b")
  fileprivate static let c = EventName<Int>("benchmarks.home.c")
  fileprivate static let d = EventName<Int>("benchmarks.home.d")
  fileprivate static let e = EventName<Int>("benchmarks.home.e")
  fileprivate static let f = EventName<Int>("benchmarks.home.f")
  fileprivate static let g = EventName<Int>("benchmarks.home.g")
  fileprivate static let h = EventName<Int>("benchmarks.home.h")
  fileprivate static let i = EventName<Int>("benchmarks.home.i")
  fileprivate static let j = EventName<Int>("benchmarks.home.j")
}

extension Notification.Name {
  fileprivate static let tick = Notification.Name("benchmarks.home.tick")
}

/// A message for the objects of the main actor.
private struct Tick: NotificationCenter.MainActorMessage {
  typealias Subject = Sink

  static let name = Notification.Name("benchmarks.home.typed")

  let value: Int
}

/// The typical work of an app: code on the main actor posts to objects of the main actor, which are not kept
/// alive.
enum Home {
  static let rows = [
    beside("home: post, 1 owner", 1),
    beside("home: per delivery at 10", 10),
    beside("home: per delivery at 100", 100),
    like("home: post, 1 owner, with a sender") { stage in stage.add(from: stage.sender) },
    like("home: post, 1 owner, while an event waits for another actor") { stage in
      stage.add()
      stage.letAnEventWait()
    },
    like("home: per delivery at 10, while an event waits for another actor") { stage in
      for _ in 0..<10 { stage.add() }
      stage.letAnEventWait()
    },
    like("home: post, 1 owner, hooks have gone") { stage in
      stage.bus.addHooks(EventHooks(onTrace: { _ in })).cancel()
      stage.add()
    },
    like("home: post, 1 owner, an observer of everything has gone") { stage in
      stage.bus.observeAll { _ in }.cancel()
      stage.add()
    },
    like("home: per delivery at 10, two priorities") { stage in
      for index in 0..<10 { stage.add(priority: index.isMultiple(of: 2) ? .high : .low) }
    },
    like("home: per delivery at 10, a priority has gone") { stage in
      stage.bus.observe(.tick, priority: .high) { _ in }.cancel()
      for _ in 0..<10 { stage.add() }
    },
    tenNames,
    comingAndGoing,
  ]

  static let counts = [
    Row(
      Figure("home: allocations per post, most of all cases", .count, mustBeZero: true),
      pace: .counted,
      entries: [Entry(.eventBus) { { _ in allocations() } }]
    )
  ]

  private static func beside(_ title: String, _ owners: Int) -> Row {
    Row(
      Figure(title, per: owners),
      entries: [
        entry { stage in for _ in 0..<owners { stage.add() } }, center(owners), typed(owners),
        loop(owners),
      ]
    )
  }

  /// A row whose figure should equal that of a simpler one.
  private static func like(
    _ title: String,
    _ fill: @escaping @MainActor @Sendable (Stage) -> Void
  ) -> Row {
    Row(Figure(title, per: title.contains("at 10") ? 10 : 1), entries: [entry(fill)])
  }

  private static let comingAndGoing = Row(
    Figure("home: register + cancel, 1 owner"),
    entries: [
      timed(.eventBus) {
        let (bus, panel) = (EventBus(), opaque(Panel()))
        return { iterations in
          for _ in 0..<iterations {
            bus.observe(.tick, owner: panel) { panel, value in panel.total &+= value }.cancel()
          }
        }
      },
      timed(.payloadCenter) {
        let (center, panel) = (NotificationCenter(), opaque(Panel()))
        return { iterations in
          for _ in 0..<iterations { center.removeObserver(observe(center, panel)) }
        }
      },
      timed(.typedCenter) {
        let (center, panel) = (NotificationCenter(), opaque(Panel()))
        return { iterations in
          for _ in 0..<iterations {
            let token = center.addObserver(for: Tick.self) { [weak panel] tick in
              panel?.total &+= tick.value
            }
            center.removeObserver(token)
          }
        }
      },
    ]
  )

  private static let tenNames = Row(
    Figure("home: ten names, 1 owner each, per post", per: 10),
    entries: [
      timed(.eventBus) {
        let (bus, panels) = (EventBus(), (0..<10).map { _ in Panel() })
        let names: [EventName<Int>] = [.a, .b, .c, .d, .e, .f, .g, .h, .i, .j]
        for (name, panel) in zip(names, panels) {
          bus.observe(name, owner: panel) { panel, value in panel.total &+= value }
        }
        return { iterations in
          for _ in 0..<iterations {
            // Written like posts in a program: a loop over an array would retain each name.
            bus.post(.a, 1); bus.post(.b, 1)
            bus.post(.c, 1); bus.post(.d, 1)
            bus.post(.e, 1); bus.post(.f, 1)
            bus.post(.g, 1); bus.post(.h, 1)
            bus.post(.i, 1); bus.post(.j, 1)
          }
          withExtendedLifetime(panels) {}
        }
      }
    ]
  )

  private static func allocations() -> Double {
    MainActor.assumeIsolated {
      let cases: [@MainActor (Stage) -> Void] = [
        { $0.add() }, { stage in for _ in 0..<100 { stage.add() } },
        { stage in for index in 0..<10 { stage.add(priority: index < 5 ? .high : .low) } },
        { stage in stage.add(from: stage.sender) },
      ]
      let posts = 100
      let counts = cases.map { fill in
        let stage = Stage()
        fill(stage)
        stage.post(times: 1)
        return Heap.during { _ in stage.post(times: posts) }.allocations
      }
      return Double(counts.max() ?? 0) / Double(posts)
    }
  }

  private static func entry(_ fill: @escaping @MainActor @Sendable (Stage) -> Void) -> Entry {
    timed(.eventBus) {
      let stage = opaque(Stage())
      fill(stage)
      return { iterations in
        let before = stage.total
        stage.post(times: iterations)
        expectDeliveries(stage.total - before, iterations * stage.panels.count, by: .eventBus)
      }
    }
  }

  /// A block that holds its object weakly, and a payload in a dictionary.
  private static func center(_ owners: Int) -> Entry {
    timed(.payloadCenter) {
      let (center, panels) = (NotificationCenter(), opaque((0..<owners).map { _ in Panel() }))
      for panel in panels { _ = observe(center, panel) }
      return { iterations in
        for _ in 0..<iterations {
          center.post(name: .tick, object: nil, userInfo: ["value": 1])
        }
        withExtendedLifetime(panels) {}
      }
    }
  }

  @MainActor
  private static func observe(
    _ center: NotificationCenter,
    _ panel: Panel
  ) -> any NSObjectProtocol {
    center.addObserver(forName: .tick, object: nil, queue: nil) { [weak panel] note in
      let value = note.userInfo?["value"] as? Int ?? 0
      MainActor.assumeIsolated { panel?.total &+= value }
    }
  }

  private static func typed(_ owners: Int) -> Entry {
    timed(.typedCenter) {
      let (center, panels) = (NotificationCenter(), opaque((0..<owners).map { _ in Panel() }))
      let tokens = panels.map { panel in
        center.addObserver(for: Tick.self) { [weak panel] tick in panel?.total &+= tick.value }
      }
      return { iterations in
        for _ in 0..<iterations { center.post(Tick(value: 1)) }
        withExtendedLifetime((panels, tokens)) {}
      }
    }
  }

  private static func loop(_ owners: Int) -> Entry {
    timed(.closureLoop) {
      let panels = opaque((0..<owners).map { _ in Panel() })
      var handlers: [@MainActor (Int) -> Void] = []
      for panel in panels { handlers.append { [weak panel] value in panel?.total &+= value } }
      let known = opaque(handlers)
      return { iterations in
        for _ in 0..<iterations {
          for handler in known { handler(1) }
        }
        withExtendedLifetime(panels) {}
      }
    }
  }

  /// An entry whose stage and work belong to the main actor, on which the harness runs.
  private static func timed(
    _ subject: Subject,
    prepare: @escaping @MainActor @Sendable () -> @MainActor (_ iterations: Int) -> Void
  ) -> Entry {
    Entry(subject) {
      MainActor.assumeIsolated {
        let work = prepare()
        return { iterations in nanoseconds { work(iterations) } / Double(iterations) }
      }
    }
  }

  /// An object of the main actor, such as a view.
  @MainActor
  private final class Panel {
    var total = 0
  }

  /// A bus with its observers.
  @MainActor
  private final class Stage {
    let bus = EventBus()
    let sender = Sink()
    private(set) var panels: [Panel] = []

    var total: Int { panels.reduce(0) { $0 + $1.total } }

    func add(from sender: Sink? = nil, priority: Priority = .normal) {
      let panel = Panel()
      panels.append(panel)
      bus.observe(.tick, owner: panel, from: sender, priority: priority) { panel, value in
        panel.total &+= value
      }
      isAddressed = isAddressed || sender != nil
    }

    /// Posts another event to a handler of an actor that does not run.
    func letAnEventWait() {
      let elsewhere = Elsewhere()
      bus.observe(.a, owner: elsewhere) { _, _ in }
      bus.post(.a, 1)
      self.elsewhere = elsewhere
    }

    func post(times: Int) {
      if isAddressed {
        for _ in 0..<times { bus.post(.tick, 1, from: sender) }
      } else {
        for _ in 0..<times { bus.post(.tick, 1) }
      }
    }

    private var isAddressed = false
    private var elsewhere: Elsewhere?
  }

  /// An actor whose jobs wait for ever.
  private actor Elsewhere {
    private let executor = Refusing()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }
  }

  private final class Refusing: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {}
  }
}
