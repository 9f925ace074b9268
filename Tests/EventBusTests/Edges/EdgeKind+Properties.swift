import EventBus
import TestSupport

extension EdgeKind {
  /// The kinds of registration with a property.
  static let ofProperties = [
    property, propertyWithOwner, propertyWithLifetimeOwner, standalone, path, standalonePath,
    computed, standaloneComputed, computedBinding, computedValues, element, binding, values, shared,
    sharedWithOwner, sharedOnMainActor, sharedBinding, sharedValues, weakProperty, weakView,
  ]

  private static let noPost: [EdgeRow: String] = [
    .excluded: "Only a post can leave out a registration.",
    .counted: "A property tells no number of registrations.",
  ]

  private static let property = EdgeKind(
    "property",
    traits: [.freesAtNextUse],
    excluding: noPost
  ) { handler in
    let model = EdgeModel()
    return EdgeSubject(model, model.$value.observe { _ in handler.callSafely() })
  }

  private static let propertyWithOwner = EdgeKind(
    "property with an owner",
    owner: .object,
    traits: [.freesAtNextUse, .isKept],
    excluding: noPost
  ) { handler in
    let (model, owner) = (EdgeModel(), PlainOwner())
    let token = model.$value.observe(owner: owner) { _, _ in handler.callSafely() }
    return EdgeSubject(model, token).owned(by: Holder(owner))
  }

  private static let propertyWithLifetimeOwner = EdgeKind(
    "property with a lifetime owner",
    owner: .lifetime,
    traits: [.freesAtNextUse, .isKept],
    excluding: noPost
  ) { handler in
    let (model, owner) = (EdgeModel(), LivedOwner())
    let token = model.$value.observe(owner: owner) { _, _ in handler.callSafely() }
    return EdgeSubject(model, token).owned(by: Holder(owner))
  }

  private static let standalone = EdgeKind(
    "standalone property",
    traits: [.freesAtNextUse],
    excluding: noPost
  ) { handler in
    let count = Observed(wrappedValue: 0)
    return EdgeSubject(count, count.observe { _ in handler.callSafely() })
  }

  private static let path = EdgeKind(
    "property path",
    owner: .object,
    traits: [.freesAtNextUse, .isKept],
    excluding: noPost
  ) { handler in
    let (model, owner) = (EdgeModel(), PlainOwner())
    let root = EdgeRoot(model)
    let token = root.$model.observe(\.$value, owner: owner) { _, _ in handler.callSafely() }
    let subject = EdgeSubject(
      token,
      fire: {
        root.model.value += 1
        // Also uses the outer property, without a change.
        root.model = model
      },
      poke: { root.model.value += 1 }
    )
    subject.register = { root.$model.observe(\.$value, owner: model) { _, _ in } }
    return subject.owned(by: Holder(owner))
  }

  private static let standalonePath = EdgeKind(
    "path to a standalone property",
    owner: .object,
    traits: [.freesAtNextUse, .isKept],
    excluding: noPost
  ) { handler in
    let count = Observed(wrappedValue: 0)
    let (owner, other) = (PlainOwner(), PlainOwner())
    let node = EdgeNode(count)
    let outer = Observed<EdgeNode>(wrappedValue: node, comparing: ===)
    let token = outer.observe(\.count.readOnly, owner: owner) { _, _ in handler.callSafely() }
    let subject = EdgeSubject(
      token,
      fire: {
        count.wrappedValue += 1
        outer.wrappedValue = node
      },
      poke: { count.wrappedValue += 1 }
    )
    subject.register = { outer.readOnly.observe(\.count.readOnly, owner: other) { _, _ in } }
    return subject.owned(by: Holder(owner))
  }

  private static let computed = EdgeKind(
    "computed",
    traits: [.freesAtNextUse],
    excluding: noPost
  ) { handler in
    let model = EdgeModel()
    let computed = Computed(model.$value) { $0 * 2 }
    let subject = EdgeSubject(model, computed.observe { _ in handler.callSafely() })
    subject.register = { computed.observe { _ in } }
    return subject
  }

  private static let standaloneComputed = EdgeKind(
    "computed from a standalone property",
    traits: [.freesAtNextUse],
    excluding: noPost
  ) { handler in
    let count = Observed(wrappedValue: 0)
    let computed = Computed(count, count.readOnly) { $0 + $1 }
    let subject = EdgeSubject(count, computed.observe { _ in handler.callSafely() })
    subject.register = { computed.observe { _ in } }
    return subject
  }

  private static let computedBinding = EdgeKind(
    "binding of a computed value",
    owner: .object,
    traits: [.freesAtNextUse, .isKept],
    excluding: noPost
  ) { handler in
    let (model, table) = (EdgeModel(), EdgeTable())
    let computed = Computed(model.$value) { $0 * 2 }
    let token = EdgeSlot.bind(handler) { computed.bind(to: table, \.[$0]) }
    let subject = EdgeSubject(model, token).owned(by: Holder(table))
    subject.register = { computed.observe { _ in } }
    return subject
  }

  private static let computedValues = EdgeKind(
    "values of a computed value",
    owner: .lifetime,
    traits: [.hasNoToken, .isKeptElsewhere, .isQueued],
    excluding: noPost.merging(noOwner) { first, _ in first }
  ) { handler in
    let (model, lifetime) = (EdgeModel(), Lifetime())
    let computed = Computed(model.$value) { $0 * 2 }
    let values = computed.values(until: lifetime)
    return await EdgeSubject(values, handler, until: lifetime) {
      withExtendedLifetime(computed) { model.value += 1 }
    }
  }

  private static let element = EdgeKind(
    "element",
    traits: [.freesAtNextUse],
    excluding: noPost
  ) { handler in
    let model = EdgeModel()
    let subject = EdgeSubject(
      model.$items.observeElements { _ in handler.callSafely() },
      fire: { model.items.append(1) },
      poke: { model.items.append(1) }
    )
    subject.register = { model.$items.observeElements { _ in } }
    return subject
  }

  private static let binding = EdgeKind(
    "binding",
    owner: .object,
    traits: [.freesAtNextUse, .isKept],
    excluding: noPost
  ) { handler in
    let (model, table) = (EdgeModel(), EdgeTable())
    let token = EdgeSlot.bind(handler) { model.$value.bind(to: table, \.[$0]) }
    return EdgeSubject(model, token).owned(by: Holder(table))
  }

  @MainActor private static func boundOnMainActor(_ handler: EdgeHandler) -> EdgeSubject {
    let (property, table) = (SharedObserved(0), EdgeTable())
    let token = EdgeSlot.bind(handler) { property.bind(to: table, \.[$0]) }
    return onMainActor(property, token).owned(by: Holder(table))
  }

  private static let sharedBinding = EdgeKind(
    "shared binding",
    owner: .object,
    traits: [.isKept, .isQueued],
    excluding: noPost
  ) { handler in
    await boundOnMainActor(handler)
  }

  private static let noOwner: [EdgeRow: String] = [
    .ownerGone: "It has a lifetime but no owner.",
    .ownerGoneBesideLifetime: "It has a lifetime but no owner.",
  ]

  private static let values = EdgeKind(
    "values",
    owner: .lifetime,
    traits: [.hasNoToken, .isKeptElsewhere, .isQueued],
    excluding: noPost.merging(noOwner) { first, _ in first }
  ) { handler in
    let (model, lifetime) = (EdgeModel(), Lifetime())
    let values = model.$value.values(until: lifetime)
    return await EdgeSubject(values, handler, until: lifetime) { model.value += 1 }
  }

  private static let sharedValues = EdgeKind(
    "shared values",
    owner: .lifetime,
    traits: [.hasNoToken, .isKeptElsewhere, .isQueued],
    excluding: noPost.merging(noOwner) { first, _ in first }
  ) { handler in
    let (property, lifetime) = (SharedObserved(0), Lifetime())
    let values = property.values(until: lifetime)
    return await EdgeSubject(values, handler, until: lifetime) { property.update { $0 += 1 } }
  }

  private static let shared = EdgeKind("shared property", excluding: noPost) { handler in
    let property = SharedObserved(0)
    return EdgeSubject(property, property.observe { _ in handler.callSafely() })
  }

  private static let sharedWithOwner = EdgeKind(
    "shared property with an owner",
    owner: .lifetime,
    traits: [.isKept],
    excluding: noPost
  ) { handler in
    let (property, owner) = (SharedObserved(0), LivedOwner())
    let token = property.observe(owner: owner) { _, _ in handler.callSafely() }
    return EdgeSubject(property, token).owned(by: Holder(owner))
  }

  private static let sharedOnMainActor = EdgeKind(
    "shared property on the main actor",
    traits: [.isQueued],
    excluding: noPost
  ) { handler in
    await onMainActor(handler)
  }

  @MainActor private static func onMainActor(_ handler: EdgeHandler) -> EdgeSubject {
    let property = SharedObserved(0)
    let token = property.observe { _ in
      MainActor.preconditionIsolated()
      handler.callSafely()
    }
    return onMainActor(property, token)
  }

  @MainActor private static func onMainActor(
    _ property: SharedObserved<Int>,
    _ token: Token
  ) -> EdgeSubject {
    // Called after the handler: deliveries to one actor keep their order.
    let marks = Inbox<Int>()
    let mark = property.observe { _ in marks.append(1) }
    let subject = EdgeSubject(
      token,
      fire: {
        let before = marks.entries.count
        property.update(isolation: nil) { $0 += 1 }
        _ = await marks.first(before + 1)
        withExtendedLifetime(mark) {}
      },
      poke: { property.update(isolation: nil) { $0 += 1 } }
    )
    subject.register = { property.observe { _ in } }
    return subject
  }

  private static let weakProperty = EdgeKind("weak property", excluding: noPost) { handler in
    let property = WeakObserved<LivedOwner>()
    return weak(property, observedAs: property, handler)
  }

  private static let weakView = EdgeKind("view of a weak property", excluding: noPost) { handler in
    let property = WeakObserved<LivedOwner>()
    return weak(property, observedAs: property.readOnly, handler)
  }

  private static func weak(
    _ property: WeakObserved<LivedOwner>,
    observedAs view: some WeakObservedValue<LivedOwner>,
    _ handler: EdgeHandler
  ) -> EdgeSubject {
    let guests = [LivedOwner(), LivedOwner()]
    let turns = Counter()
    let subject = EdgeSubject(
      view.observe { _ in handler.callSafely() },
      fire: { property.wrappedValue = guests[turns.add() % 2] },
      poke: { property.wrappedValue = guests[turns.add() % 2] }
    )
    subject.register = { view.observe { _ in } }
    return subject
  }
}

extension EdgeSubject {
  /// A task that reads values, after the first one.
  ///
  /// The task sets the property as well, while the setter that gave it the value may still run on another thread,
  /// so the two take turns.
  fileprivate convenience init(
    _ values: some AsyncSequence<Int, Never> & Sendable,
    _ handler: EdgeHandler,
    until lifetime: Lifetime,
    _ set: @escaping () -> Void
  ) async {
    let turn = Locked(())
    let poke = { turn.withLock { _ in set() } }
    let (taken, hasEnded) = (Counter(), ManualLatch())
    // Its consumers share one position.
    var iterator = values.makeAsyncIterator()
    _ = await iterator.next(isolation: nil)
    let task = Task {
      for await _ in values {
        handler.callSafely()
        taken.add()
      }
      hasEnded.open()
    }
    self.init(
      nil,
      fire: {
        let before = taken.value
        poke()
        await until(taken.value > before || hasEnded.isOpen)
      },
      poke: poke
    )
    end = { task.cancel() }
    settle = { await task.value }
    self.lifetime = { lifetime }
  }

  fileprivate convenience init(_ property: SharedObserved<Int>, _ token: Token) {
    self.init(
      token,
      fire: { property.update { $0 += 1 } },
      poke: { property.update { $0 += 1 } }
    )
    register = { property.observe { _ in } }
  }

  fileprivate convenience init(_ count: Observed<Int>, _ token: Token) {
    self.init(token, fire: { count.wrappedValue += 1 }, poke: { count.wrappedValue += 1 })
    register = { count.readOnly.observe { _ in } }
  }

  fileprivate convenience init(_ model: EdgeModel, _ token: Token) {
    self.init(token, fire: { model.value += 1 }, poke: { model.value += 1 })
    register = { model.$value.observe { _ in } }
  }
}

private final class EdgeModel {
  @Observed var value = 0
  @Observed var items: [Int] = []
}

/// An object whose elements call handlers when they are set.
private final class EdgeTable: Sendable {
  subscript(slot: EdgeSlot) -> Int {
    get { 0 }
    set { slot.call() }
  }
}

/// The argument of a key path, which retains the handler.
private final class EdgeSlot: Hashable, Sendable {
  private let handler: EdgeHandler
  private let isBound = ManualLatch()

  private init(_ handler: EdgeHandler) { self.handler = handler }

  /// Binds a slot; the first assignment, of the current value, does not call the handler.
  static func bind(_ handler: EdgeHandler, _ bind: (EdgeSlot) -> Token) -> Token {
    let slot = EdgeSlot(handler)
    defer { slot.isBound.open() }
    return bind(slot)
  }

  func call() {
    if isBound.isOpen { handler.callSafely() }
  }

  static func == (left: EdgeSlot, right: EdgeSlot) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private final class EdgeRoot {
  @Observed var model: EdgeModel

  init(_ model: EdgeModel) { self.model = model }
}

private final class EdgeNode {
  let count: Observed<Int>

  init(_ count: Observed<Int>) { self.count = count }
}
