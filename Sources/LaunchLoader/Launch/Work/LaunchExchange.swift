/// A closure that takes the values of other work, makes a value, or does both.
///
/// Its two subclasses know the types of the values. They are classes, because Swift 6.3 cannot compile a
/// closure that captures a parameter pack.
package class LaunchExchange: @unchecked Sendable {  // Reason: constant, like its subclasses.
  /// A closure that undoes work, given the value that the work made, if it made one.
  typealias Undo = @Sendable ((any Sendable)?) async -> Void

  /// The key of the value that the closure makes; `nil` if it makes none.
  package let makes: AnyLaunchKey?
  /// The keys of the values that the closure takes, in order.
  let needs: [AnyLaunchKey]
  /// The closure that undoes the work, if there is one.
  let undo: Undo?
  /// The actor in whose isolation the closure was written; `nil` if there is none.
  let isolation: (any Actor)?

  fileprivate init(
    _ key: AnyLaunchKey?,
    _ undo: Undo?,
    _ needs: [AnyLaunchKey],
    _ isolation: (any Actor)?
  ) {
    (makes, self.undo, self.needs, self.isolation) = (key, undo, needs, isolation)
  }

  /// Removes the type of the value from a closure that undoes work.
  fileprivate static func undo<Value: Sendable>(
    by undo: (@Sendable (Value) async -> Void)?
  ) -> Undo? {
    guard let undo else { return nil }
    return { value in
      if let value, let typed = value as? Value { await undo(typed) }
    }
  }

  /// The closure as the work of a registration.
  var work: LaunchWork { .exchange(self) }

  /// A Boolean value that indicates whether the closure is asynchronous.
  var isAsynchronous: Bool { true }

  /// Calls the closure if it is synchronous, from code that runs in its isolation.
  ///
  /// - Returns: The value that it makes, if it makes one.
  func call(_ options: LaunchOptions, _ values: LaunchValues) throws -> (any Sendable)? { nil }

  /// Calls the closure, from code that runs in its isolation.
  ///
  /// - Returns: The value that it makes, if it makes one.
  nonisolated(nonsending) func run(
    _ options: LaunchOptions,
    _ values: LaunchValues
  ) async throws -> (any Sendable)? {
    try call(options, values)
  }
}

/// A synchronous closure.
package final class SynchronousExchange<Value: Sendable, each Need: Sendable>: LaunchExchange,
  @unchecked Sendable  // Reason: constant.
{
  private struct Isolated {
    let call: @isolated(any) @Sendable (LaunchOptions, repeat each Need) throws -> Value
  }
  private struct Bare {
    let call: @Sendable (LaunchOptions, repeat each Need) throws -> Value
  }

  private let keys: (repeat LaunchKey<each Need>)
  private let bare: Bare

  /// Stores a closure.
  ///
  /// - Parameters:
  ///   - key: The key of the value that the closure makes; `nil` if it makes none.
  ///   - undo: The closure that undoes the work.
  ///   - needs: The keys of the values that the closure takes.
  ///   - call: The closure.
  package init(
    _ key: LaunchKey<Value>?,
    _ undo: (@Sendable (Value) async -> Void)?,
    _ needs: (repeat LaunchKey<each Need>),
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, repeat each Need) throws -> Value
  ) {
    keys = needs
    // `@isolated(any)` would forbid a synchronous call, even by code that runs on the actor.
    bare = unsafe unsafeBitCast(Isolated(call: call), to: Bare.self)  // Reason: one layout.
    super.init(key, Self.undo(by: undo), launchKeys(repeat each needs), call.isolation)
  }

  override var isAsynchronous: Bool { false }

  override func call(_ options: LaunchOptions, _ values: LaunchValues) throws -> (any Sendable)? {
    let value = try bare.call(options, repeat values.value(of: each keys))
    return makes == nil ? nil : value
  }
}

/// An asynchronous closure.
final class AsynchronousExchange<Value: Sendable, each Need: Sendable>: LaunchExchange,
  @unchecked Sendable  // Reason: constant.
{
  private let keys: (repeat LaunchKey<each Need>)
  private let closure:
    @isolated(any) @Sendable (LaunchOptions, repeat each Need) async throws -> Value

  init(
    _ key: LaunchKey<Value>?,
    _ undo: (@Sendable (Value) async -> Void)?,
    _ needs: (repeat LaunchKey<each Need>),
    _ closure:
      @escaping @isolated(any) @Sendable (LaunchOptions, repeat each Need) async throws -> Value
  ) {
    keys = needs
    self.closure = closure
    super.init(key, Self.undo(by: undo), launchKeys(repeat each needs), closure.isolation)
  }

  nonisolated(nonsending) override func run(
    _ options: LaunchOptions,
    _ values: LaunchValues
  ) async throws -> (any Sendable)? {
    let value = try await closure(options, repeat values.value(of: each keys))
    return makes == nil ? nil : value
  }
}

private func launchKeys<each Need>(_ needs: repeat LaunchKey<each Need>) -> [AnyLaunchKey] {
  var keys: [AnyLaunchKey] = []
  for need in repeat each needs { keys.append(need) }
  return keys
}
