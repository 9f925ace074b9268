import EventBus
import Testing

@Suite("Lazily created reference")
struct LazyReferenceTests {
  private final class Box: Sendable {}

  @Test("All threads get the same object, whichever asks first", .timeLimit(.minutes(5)))
  func oneObject() async {
    for _ in 0..<500 {
      let reference = SharedReference()
      let objects = await withTaskGroup(of: ObjectIdentifier.self) { group in
        for _ in 0..<4 {
          group.addTask {
            await Task.yield()
            return ObjectIdentifier(reference.value.object(orMake: Box.init))
          }
        }
        var objects: Set<ObjectIdentifier> = []
        for await object in group { objects.insert(object) }
        return objects
      }
      #expect(objects.count == 1)
    }
  }

  @Test("A flag is set once, and the factory sees the flags set before")
  func flags() {
    let reference = LazyReference<Box>()
    let first = reference.set(1)
    let second = reference.set(1)
    #expect(first && !second)
    var seen: UInt = 0
    let object = reference.object(orMake: Box.init) { _, flags in seen = flags }
    #expect(seen == 1)
    let (flags, known) = (reference.flags, reference.object)
    #expect(flags == 1)
    #expect(known === object)
  }

  @Test("A lazy reference releases its object in its deinit")
  func releases() {
    weak var probe: Box?
    do {
      let reference = LazyReference<Box>()
      probe = reference.object(orMake: Box.init)
      #expect(probe != nil)
      _ = consume reference
    }
    #expect(probe == nil)
  }

  private final class SharedReference: Sendable {
    let value = LazyReference<Box>()
  }
}
