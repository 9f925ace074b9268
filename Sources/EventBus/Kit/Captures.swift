/// The values that a closure has captured, as far as debug builds look at them: to find an owner that its own handler
/// retains.
///
/// A closure refers to a context, an object whose metadata describe the captured values by their mangled types. The
/// description tells a strong reference from a weak or unowned one, and from other values with the same bits. Where it
/// cannot be understood, as in generic code, nothing is found. Release builds contain none of this.
///
/// See *ABI/Metadata.h* (`TargetHeapLocalVariableMetadata`) and *RemoteInspection/Records.h* (`CaptureDescriptor`) of the
/// Swift runtime.
package struct Captures: Sendable {
  /// The address of the closure's code, which tells one closure of the program from another.
  fileprivate let function: UInt
  private let context: UInt

  #if DEBUG
  /// Returns whether the closure retains an object: captures it, or another closure that does.
  ///
  /// - Parameter object: The object, kept alive by the caller.
  /// - Returns: `false` if it does not, or if that is not known.
  /// - Complexity: O(1): at most 64 values each of at most 64 closures are looked at.
  package func retain(_ object: AnyObject) -> Bool {
    var rest = Self.limit
    return Self.retain(ObjectAddress.of(object), context, &rest)
  }

  /// The kind of metadata that describe the context of a closure.
  private static let contextKind: UInt = 0x400
  private static let limit = 64

  private static func retain(_ object: UInt, _ context: UInt, _ rest: inout Int) -> Bool {
    // A closure that captures one object may have that as its context.
    if context == object { return true }
    rest -= 1
    guard isObject(context), rest > 0 else { return false }
    let metadata: UInt = value(at: context)
    guard isObject(metadata), value(at: metadata) == contextKind else { return false }
    let description: UInt = value(at: metadata, offset: 16)
    if description == 0 { return false }
    var position: UInt = UInt(value(at: metadata, offset: 8) as UInt32)
    let count: UInt32 = value(at: description)
    let genericCount: UInt32 = value(at: description, offset: 8)
    // The types of generic code are not in the description.
    guard count <= limit, genericCount == 0 else { return false }
    for index in 0..<UInt(count) {
      let record = description + 12 + 4 * index
      let distance: Int32 = value(at: record)
      let name = MangledType(address: UInt(bitPattern: Int(bitPattern: record) + Int(distance)))
      guard distance != 0, let layout = name.layout else { return false }
      position = (position + layout.alignment - 1) & ~(layout.alignment - 1)
      let first: UInt = layout.size < 8 ? 0 : value(at: context, offset: position)
      switch layout.content {
      case .reference where first == object: return true
      case .closure:
        if retain(object, value(at: context, offset: position + 8), &rest) { return true }
      case .reference, .other: break
      }
      position += layout.size
    }
    return false
  }

  private static func isObject(_ address: UInt) -> Bool { address != 0 && address % 8 == 0 }

  /// The value at an address in metadata, or in a context that the caller keeps alive.
  fileprivate static func value<Value: BitwiseCopyable>(at address: UInt, offset: UInt = 0) -> Value
  {
    let pointer = unsafe UnsafeRawPointer(bitPattern: address + offset)  // Reason: see above.
    guard let pointer = unsafe pointer else {  // Reason: see above.
      trap("the captures of a closure have no address", remedy: "Report this bug")
    }
    return unsafe pointer.loadUnaligned(as: Value.self)  // Reason: see above.
  }
  #endif
}

extension Captures {
  private struct Isolated<Owner: AnyObject, Second> {
    let call: @isolated(any) @Sendable (Owner, Second) throws -> Void
  }

  private struct IsolatedAsync<Owner: AnyObject, Second> {
    let call: @isolated(any) @Sendable (Owner, Second) async throws -> Void
  }

  private struct OnOwner<Owner: Actor, Second> {
    let call: @Sendable (isolated Owner, Second) throws -> Void
  }

  private struct OnOwnerAsync<Owner: Actor, Second> {
    let call: @Sendable (isolated Owner, Second) async throws -> Void
  }

  private struct Plain<Owner: AnyObject, Second> {
    let call: (Owner, Second) throws -> Void
  }

  /// The captures of a closure.
  ///
  /// - Parameter closure: The bits of a structure with exactly the type of the closure, so that the closure is not
  ///   wrapped in another one.
  package init(of closure: (function: UInt, context: UInt)) {
    (function, context) = closure
  }

  /// The captures of a handler that receives its owner.
  package init<Owner: AnyObject, Second>(
    of call: @escaping @isolated(any) @Sendable (Owner, Second) throws -> Void
  ) {
    let closure = Isolated(call: call)
    self.init(of: unsafe unsafeBitCast(closure, to: (UInt, UInt).self))  // Reason: same size.
  }

  /// The captures of an asynchronous handler that receives its owner.
  package init<Owner: AnyObject, Second>(
    ofAsync call: @escaping @isolated(any) @Sendable (Owner, Second) async throws -> Void
  ) {
    let closure = IsolatedAsync(call: call)
    self.init(of: unsafe unsafeBitCast(closure, to: (UInt, UInt).self))  // Reason: same size.
  }

  /// The captures of a handler that runs on its owner.
  package init<Owner: Actor, Second>(
    onOwner call: @escaping @Sendable (isolated Owner, Second) throws -> Void
  ) {
    let closure = OnOwner(call: call)
    self.init(of: unsafe unsafeBitCast(closure, to: (UInt, UInt).self))  // Reason: same size.
  }

  /// The captures of an asynchronous handler that runs on its owner.
  package init<Owner: Actor, Second>(
    onOwnerAsync call: @escaping @Sendable (isolated Owner, Second) async throws -> Void
  ) {
    let closure = OnOwnerAsync(call: call)
    self.init(of: unsafe unsafeBitCast(closure, to: (UInt, UInt).self))  // Reason: same size.
  }

  /// The captures of a handler that belongs to one isolation, and receives its owner.
  package init<Owner: AnyObject, Second>(ofLocal call: @escaping (Owner, Second) throws -> Void) {
    let closure = Plain(call: call)
    self.init(of: unsafe unsafeBitCast(closure, to: (UInt, UInt).self))  // Reason: same size.
  }
}

#if DEBUG
/// The handlers that were reported because they retain their own owners.
package final class OwnerWarnings: Sendable {
  fileprivate static let shared = OwnerWarnings()

  private let known = Locked(Set<UInt>())

  /// Creates an empty collection.
  package init() {}

  /// Returns a message about an owner, if there was none yet for the same handler.
  package func message(_ owner: AnyObject, _ captures: Captures, _ place: String) -> String? {
    guard known.withLock({ $0.insert(captures.function).inserted }) else { return nil }
    return
      "\(place) retains its own owner, of type \(type(of: owner)): neither is released before the registration ends. Use"
      + " the parameter of the handler instead of self, or capture self weakly."
  }
}
#endif

/// Writes a message to standard error if a handler that belongs to no bus retains its own owner; does nothing in release
/// builds.
///
/// - Parameters:
///   - owner: The owner.
///   - place: The library, and what the handler is registered with.
///   - captures: The values that the handler has captured.
@inline(__always)
package func warnIfRetained(
  _ owner: AnyObject,
  _ place: @autoclosure () -> String,
  _ captures: @autoclosure () -> Captures
) {
  #if DEBUG
  let captures = captures()
  guard captures.retain(owner) else { return }
  if let message = OwnerWarnings.shared.message(owner, captures, place()) { printError(message) }
  #endif
}

#if DEBUG
/// The mangled name of the type of a captured value, which ends with a zero and may contain relative addresses.
private struct MangledType {
  enum Content { case reference, closure, other }

  private let address: UInt
  private var count: UInt = 0
  /// The characters, with one byte for each address.
  private var text: [UInt8] = []

  init(address: UInt) {
    self.address = address
    while true {
      let byte: UInt8 = Captures.value(at: address, offset: count)
      if byte == 0 { break }
      text.append(byte)
      count += (1...0x17).contains(byte) ? 5 : (0x18...0x1f).contains(byte) ? 9 : 1
    }
  }

  private func ends(with suffix: StaticString) -> Bool {
    text.suffix(suffix.utf8CodeUnitCount).elementsEqual("\(suffix)".utf8)
  }

  /// The size and the alignment of a value, and what it refers to; `nil` if this is unknown.
  var layout: (size: UInt, alignment: UInt, content: Content)? {
    // A box of a variable.
    if ends(with: "Xx") { return (8, 8, .other) }
    // A closure in the form of the intermediate language: escaping, with a context. The context of an asynchronous one
    // may have another layout than its description says.
    if ends(with: "_") {
      let parts = String(decoding: text, as: UTF8.self).split(separator: "Ie")
      guard parts.count == 2, !parts[1].contains("H") else { return nil }
      return (16, 8, .closure)
    }
    let isStrong = !ends(with: "Xo") && !ends(with: "Xw") && !ends(with: "Xu")
    guard let type = type(without: isStrong ? 0 : 2) else { return nil }
    let (size, alignment) = Self.layout(type)
    if !isStrong { return (size, alignment, .other) }
    if type is AnyClass { return (size, alignment, .reference) }
    if ends(with: "Sg"), self.type(without: 2) is AnyClass { return (size, alignment, .reference) }
    return (size, alignment, .other)
  }

  private func type(without suffix: UInt) -> Any.Type? {
    let name = unsafe UnsafePointer<UInt8>(bitPattern: address)  // Reason: in the program's image.
    guard let name = unsafe name else { return nil }  // Reason: as above.
    return unsafe _getTypeByMangledNameInContext(  // Reason: reads metadata.
      name,
      count - suffix,
      genericContext: nil,
      genericArguments: nil
    )
  }

  private static func layout<Value>(_ type: Value.Type) -> (size: UInt, alignment: UInt) {
    (UInt(MemoryLayout<Value>.size), UInt(MemoryLayout<Value>.alignment))
  }
}
#endif

/// A handler of a property, in messages.
package func propertyHandler(_ fileID: StaticString, _ line: UInt) -> String {
  "EventBus: the handler of a property registered at \(fileID):\(line)"
}

/// Writes a message to standard error if a handler of a property retains its own owner; does nothing in release builds.
@usableFromInline
func warnIfRetained<Owner: AnyObject, News>(
  _ owner: Owner,
  by handler: @escaping (Owner, News) -> Void
) {
  warnIfRetained(
    owner,
    "EventBus: a property's handler of \(News.self)",
    Captures(ofLocal: handler)
  )
}
