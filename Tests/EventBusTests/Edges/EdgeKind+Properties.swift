import EventBus
import TestSupport

extension EdgeKind {
  /// The kinds of registration with a property.
  static let ofProperties = [
    property, propertyWithOwner, propertyWithLifetimeOwner, standalone, path, standalonePath,
    computed, standaloneComputed, element, shared, sharedWithOwner, sharedOnMainActor, weakProperty,
    weakView,
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
        // Uses the outer property, too, without a change.
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
    let outer = Observed<EdgeNode>(wrappedValue: node, by: ===)
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
    observedAs view: some WeakObservableProperty<LivedOwner>,
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

private final class EdgeRoot {
  @Observed var model: EdgeModel

  init(_ model: EdgeModel) { self.model = model }
}

private final class EdgeNode {
  let count: Observed<Int>

  init(_ count: Observed<Int>) { self.count = count }
}
