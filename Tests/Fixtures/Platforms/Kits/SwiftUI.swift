// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of SwiftUI that the samples use, for type checks on other systems. Declarations follow
// developer.apple.com/documentation/swiftui. There are no macros, so `#Preview` and `@Entry` are missing. Nothing here
// is ever called.

public import Observation

// `@preconcurrency` in SwiftUI.
@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor var body: Body { get }
}

@resultBuilder public struct ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> { TupleView() }
}

public struct TupleView<T>: View {
  nonisolated init() {}
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

extension Never: View {
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

@MainActor public protocol Scene {
  associatedtype Body: Scene
  @MainActor var body: Body { get }
}

extension Never: Scene {}

@MainActor public protocol App {
  associatedtype Body: Scene
  @MainActor var body: Body { get }
  init()
}

public struct WindowGroup<Content: View>: Scene {
  public nonisolated init(@ViewBuilder content: () -> Content) {}
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

public struct VStack<Content: View>: View {
  public nonisolated init(@ViewBuilder content: () -> Content) {}
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

public struct Button<Label: View>: View {
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

extension Button where Label == Text {
  public nonisolated init(_ title: String, action: @escaping @MainActor () -> Void) {}
}

public struct Text: View {
  public nonisolated init(_ text: String) {}
  public var body: Never {
    fatalError("never called")  // Reason: as in SwiftUI.
  }
}

public struct Color: Sendable {
  public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}
}

public enum ColorScheme: Sendable { case light, dark }
public enum ScenePhase: Sendable { case background, inactive, active }

public struct EnvironmentValues {
  public var colorScheme: ColorScheme { .light }
  public var scenePhase: ScenePhase { .active }
}

@propertyWrapper public struct Environment<Value> {
  public init(_ path: KeyPath<EnvironmentValues, Value>) {}
  public init(_ type: Value.Type) where Value: AnyObject & Observable {}
  public init<Object: AnyObject & Observable>(_ type: Object.Type) where Value == Object? {}
  public var wrappedValue: Value {
    fatalError("never called")  // Reason: there is no environment.
  }
}

@propertyWrapper public struct State<Value> {
  private let value: Value
  public init(wrappedValue: Value) { value = wrappedValue }
  public var wrappedValue: Value {
    get { value }
    nonmutating set {}
  }
}

// With a view builder and on the main actor, `@preconcurrency` in SwiftUI.
@MainActor public protocol PreviewProvider {
  associatedtype Previews: View
  @ViewBuilder @MainActor static var previews: Previews { get }
}

extension View {
  public nonisolated func environment<Object: AnyObject & Observable>(_ object: Object?)
    -> some View
  { self }
  public nonisolated func foregroundStyle(_ color: Color) -> some View { self }
  public nonisolated func background(_ color: Color) -> some View { self }
  public nonisolated func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void)
    -> some View
  { self }
  public func onChange<Value: Equatable>(
    of value: Value,
    initial: Bool = false,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> some View { self }
}

extension Scene {
  public func onChange<Value: Equatable>(
    of value: Value,
    initial: Bool = false,
    _ action: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> some Scene { self }
}
