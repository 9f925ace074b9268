# One fault after the other, for Scripts/test-gates.sh: plant GATE MESSAGE TITLE <<'FAULT'.

plant format 'Indentation' "a line indented by three" <<'FAULT'
cat > Sources/EventBus/Kit/Planted.swift <<'SWIFT'
enum Planted {
   case here
}
SWIFT
FAULT

plant format 'AllPublicDeclarationsHaveDocumentation' "a public type without a comment" <<'FAULT'
echo 'public enum Planted {}' > Sources/EventBus/Kit/Planted.swift
FAULT

plant format 'NeverForceUnwrap' "a forced unwrap in a library" <<'FAULT'
echo 'func planted(_ number: Int?) -> Int { number! }' > Sources/EventBus/Kit/Planted.swift
FAULT

plant words "Never 'try!'.*" "try! in a test" <<'FAULT'
echo 'func planted() { try! fail() }' > Tests/EventBusTests/Planted.swift
FAULT

plant words 'Planted.swift:1: let planted' "as! in the demo" <<'FAULT'
echo 'let planted = value as! Int' > Examples/Skins/Planted.swift
FAULT

plant words 'Planted.swift:1: let planted' "a forced unwrap inside an interpolation" <<'FAULT'
echo 'let planted = "harmless \(value!) text"' > Tests/ThemingTests/Planted.swift
FAULT

plant words 'know no Foundation' "Foundation under Sources, a reason beside it" <<'FAULT'
echo 'internal import FoundationEssentials  // Reason: planted.' > Sources/Theming/Planted.swift
FAULT

plant words "leaves the caller's actor" "a cancellation handler that leaves the actor" <<'FAULT'
echo 'func planted() async { await withTaskCancellationHandler {} onCancel: {} }' \
  > Sources/LaunchLoader/Services/Planted.swift
FAULT

plant words 'switched off' "@unchecked Sendable without a reason" <<'FAULT'
echo 'final class Planted: @unchecked Sendable {}' > Sources/EventBus/Kit/Planted.swift
FAULT

plant words 'switched off' "a reason that gives none" <<'FAULT'
echo 'nonisolated(unsafe) var planted = 0  // Reason:' > Sources/EventBus/Kit/Planted.swift
FAULT

plant words '> Sources/EventBus/Bus/Planted.swift' "unsafe code in a file that is not listed" <<'FAULT'
echo 'let planted = unsafe pointer.pointee  // Reason: planted.' > Sources/EventBus/Bus/Planted.swift
FAULT

plant words '> Sources/Theming/Themes/Planted.swift' "@unchecked Sendable in a file that is not listed" <<'FAULT'
echo 'final class Planted: @unchecked Sendable {}  // Reason: planted.' \
  > Sources/Theming/Themes/Planted.swift
FAULT

plant words 'trap needs' "fatalError without a reason" <<'FAULT'
echo 'func planted() { fatalError("planted") }' > Sources/EventBus/Kit/Planted.swift
FAULT

plant words 'swallows' "a swallowed error" <<'FAULT'
echo 'let planted = try? read()' > Sources/EventBus/Kit/Planted.swift
FAULT

plant words 'never sleep' "a test that sleeps" <<'FAULT'
echo 'func planted() async throws { try await Task.sleep(for: .seconds(1)) }' \
  > Tests/EventBusTests/Planted.swift
FAULT

plant words 'cannot fail' "a test that is switched off" <<'FAULT'
echo '@Test("Planted", .disabled("later")) func planted() {}' > Tests/EventBusTests/Planted.swift
FAULT

plant words 'standard output' "a library that prints" <<'FAULT'
echo 'func planted() { print("planted") }' > Sources/LaunchLoader/Launch/Planted.swift
FAULT

plant words '< Sources/EventBus/Kit/Planted.swift' "a listed file without unsafe code" <<'FAULT'
echo Sources/EventBus/Kit/Planted.swift >> Scripts/gates/unsafe-files.txt
FAULT

plant words 'Plain technical English' "a fable in a documentation comment" <<'FAULT'
printf '/// Whoever reads this.\nenum Planted {}\n' > Sources/EventBus/Kit/Planted.swift
FAULT

plant words 'issue tracker' "a note to oneself" <<'FAULT'
echo "// TO""DO: planted" > Sources/EventBus/Kit/Planted.swift
FAULT

plant layers 'EventBus/Kit uses more' "Kit knows tokens" <<'FAULT'
echo 'func planted(_ token: Token) {}' > Sources/EventBus/Kit/Planted.swift
FAULT

plant layers 'EventBus/Tokens uses more' "tokens know a member that the bus adds to a type of theirs" <<'FAULT'
echo 'extension Token { func planted() {} }' > Sources/EventBus/Bus/Planted.swift
echo 'func plantedUse(_ token: Token) { token.planted() }' > Sources/EventBus/Tokens/PlantedUse.swift
FAULT

plant layers 'stands in no room' "a file beside the folders" <<'FAULT'
echo 'enum Planted {}' > Sources/EventBus/Planted.swift
FAULT

plant layers 'stands in no room' "a folder that is not listed" <<'FAULT'
mkdir -p Sources/EventBus/Utilities
echo 'enum Planted {}' > Sources/EventBus/Utilities/Planted.swift
FAULT

plant layers 'LaunchLoader imports Theming' "LaunchLoader knows Theming" <<'FAULT'
echo 'internal import Theming' > Sources/LaunchLoader/Launch/Planted.swift
FAULT

plant layers 'not listed above' "a circle of arrows" <<'FAULT'
sed -i 's|^EventBus/Kit:.*|EventBus/Kit: EventBus/Tokens|' Scripts/layers.txt
FAULT

plant build 'never used|never mutated' "a warning in a library" <<'FAULT'
echo 'func planted() { var number = 1 }' > Sources/EventBus/Kit/Planted.swift
FAULT

plant build 'never used|never mutated' "a warning in a test" <<'FAULT'
echo 'func planted() { let number = 1 }' > Tests/ThemingTests/Planted.swift
FAULT

plant build 'error:' "a snippet that does not compile" <<'FAULT'
echo 'let planted: Int = "text"' > Snippets/Planted.swift
FAULT

plant build 'settings of the others: skins' "a target without the settings" <<'FAULT'
sed -i 's/^for target in package.targets {/for target in package.targets where target.name != "skins" {/' \
  Package.swift
FAULT

plant build 'has dependencies' "a dependency of the package" <<'FAULT'
sed -i 's|^  targets: \[|  dependencies: [.package(path: "Scripts/Probe")],\n  targets: [|' Package.swift
FAULT

plant snippets 'README.md:[0-9]+: this sample stands in no file' "a sample in README that drifted" <<'FAULT'
awk '{ print } /^```swift$/ && !done { print "let planted = 1"; done = 1 }' README.md > planted
mv planted README.md
FAULT

plant snippets 'Planted.swift:[0-9]+: this sample' "a sample in a comment that nobody compiles" <<'FAULT'
cat > Sources/EventBus/Kit/Planted.swift <<'SWIFT'
/// Planted.
///
/// ```swift
/// let planted = Planted.here
/// ```
enum Planted { case here }
SWIFT
FAULT

plant snippets 'never used|never mutated' "a snippet with a warning" <<'FAULT'
echo 'func planted() { let number = 1 }' > Snippets/Planted.swift
FAULT

plant snippets 'ended with status' "a snippet that fails when it runs" <<'FAULT'
echo 'precondition(CommandLine.arguments.isEmpty, "planted")' > Snippets/Planted.swift
FAULT

plant snippets "inaccessible|'package' protection|cannot find" "a snippet that uses what is not public" <<'FAULT'
echo 'extension Token { package func planted() {} }' > Sources/EventBus/Tokens/Planted.swift
printf 'import EventBus\n\nToken {}.planted()\n' > Snippets/Planted.swift
FAULT

plant misuse 'for every event that nobody keeps: compiles without a word' \
  "a registration that may be ignored and ends at once" <<'FAULT'
sed -i 's/^  public func observeAll(/  @discardableResult\n&/' Sources/EventBus/Bus/EventBus.swift
FAULT

plant misuse 'a name without a payload: compiles without a word' "a name that anybody can make" <<'FAULT'
sed -i 's/^  internal init(index: Int).*/&\n\n  \/\/\/ Planted.\n  public convenience init() { self.init(index: 0) }/' \
  Sources/EventBus/Bus/EventNames.swift
FAULT

plant misuse 'kept by an owner: the compiler is to say nothing' \
  "a registration kept by its owner that must not be ignored" <<'FAULT'
sed -i '/^ *@discardableResult$/d' Sources/EventBus/Bus/Signal+ObserveAsync.swift
FAULT

plant api 'public API of Theming' "a new public declaration" <<'FAULT'
printf '/// Planted.\npublic enum Planted: Sendable {}\n' > Sources/Theming/Themes/Planted.swift
FAULT

plant api 'public API of EventBus' "a declaration that is gone" <<'FAULT'
echo 'Planted	enum Planted' >> API/EventBus.txt
FAULT

plant api 'public API of EventBus' "a baseline that was never committed" <<'FAULT'
git rm -q --cached API/EventBus.txt
rm API/EventBus.txt
FAULT

plant documentation 'Planted.swift:1: Planted' "a package type without a comment" <<'FAULT'
echo 'package enum Planted {}' > Sources/EventBus/Kit/Planted.swift
FAULT

for gate in api documentation catalogues; do
  plant "$gate" 'Unbuilt was not built; run Scripts/check.sh build first' "a target nobody has built" <<'FAULT'
sed -i 's|^    .target(name: "LaunchLoader"|    .target(name: "Unbuilt"),\n&|' Package.swift
mkdir Sources/Unbuilt
echo 'enum Unbuilt {}' > Sources/Unbuilt/Unbuilt.swift
FAULT
done

plant catalogues 'warning|error' "a link to nowhere" <<'FAULT'
echo 'See ``PlantedNowhere``.' >> Sources/LaunchLoader/LaunchLoader.docc/LaunchLoader.md
FAULT

plant catalogues 'is missing' "a module without its landing page" <<'FAULT'
rm Sources/Theming/Theming.docc/Theming.md
FAULT

plant catalogues 'lists no Planted' "a public type left out of the table of contents" <<'FAULT'
printf '/// Planted.\npublic enum Planted: Sendable {}\n' > Sources/Theming/Themes/Planted.swift
FAULT

plant tests-debug 'Planted' "a test that fails" <<'FAULT'
printf 'import Testing\n\n@Test("Planted") func planted() { #expect(Bool(false)) }\n' \
  > Tests/EventBusTests/Planted.swift
FAULT

plant tests-debug 'no test ran|failures in' "a run of nothing" <<'FAULT'
sed -i 's/swift test "\$@"/swift test --filter Nowhere "$@"/' Scripts/gates/common.sh
FAULT

plant tests-debug 'swift test' "a test that crashes" <<'FAULT'
printf 'import Testing\n\n@Test("Planted") func planted() { preconditionFailure("planted") }\n' \
  > Tests/EventBusTests/Planted.swift
FAULT

plant tests-release 'Planted' "a test that fails only when optimised" <<'FAULT'
cat > Tests/EventBusTests/Planted.swift <<'SWIFT'
import Testing

@Test("Planted") func planted() {
  var debug = false
  assert({ debug = true; return true }())
  #expect(debug)
}
SWIFT
FAULT

plant tests-tsan 'ThreadSanitizer' "a race" <<'FAULT'
cat > Tests/EventBusTests/Planted.swift <<'SWIFT'
import Testing

private final class Counter: @unchecked Sendable { var count = 0 }

@Test("Planted") func planted() async {
  let counter = Counter()
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<4 { group.addTask { for _ in 0..<10_000 { counter.count += 1 } } }
  }
  #expect(counter.count > 0)
}
SWIFT
FAULT

plant tests-tsan 'ThreadSanitizer' "a lock that does not lock" <<'FAULT'
sed -i '/pthread_mutex_\(un\)\?lock(/d' Sources/EventBus/Kit/LockedForThreadSanitizer.swift
FAULT

plant demo 'ended with status 1' "a line of the story that is wrong" <<'FAULT'
sed -i '0,/manager.subscriberCount)",/s//manager.subscriberCount + 1)",/' \
  Examples/Skins/Story+Switching.swift
FAULT

plant demo 'another story' "a story that changed" <<'FAULT'
sed -i 's/The bus then posts the switch/The bus then posted the switch/' Examples/Skins/Story+Switching.swift
FAULT

plant demo 'another picture' "a picture that changed" <<'FAULT'
sed -i 's/height = 292/height = 293/' Examples/Skins/SVG.swift
FAULT

plant demo 'no other file of the examples' "a second file of the demo that knows Foundation" <<'FAULT'
echo 'import FoundationEssentials  // Reason: planted.' > Examples/Skins/Planted.swift
FAULT

plant premain 'something else' "a feature whose entry the loader does not find" <<'FAULT'
sed -i 's/"\.init_array"/".planted"/' Tests/Fixtures/PreMain/Logging/Logging.swift
FAULT

plant foundation 'Foundation is linked' "a library that uses Foundation" <<'FAULT'
printf 'internal import Foundation\n\n/// Planted.\npublic func planted() -> String { ProcessInfo.processInfo.hostName }\n' \
  > Sources/Theming/Themes/Planted.swift
FAULT

plant specialised "called across modules.*" "a send without @inlinable" <<'FAULT'
sed -i '/^ *@inlinable$/d' Sources/EventBus/Bus/Signal.swift
FAULT

plant specialised "called across modules.*" "a stream without @inlinable" <<'FAULT'
sed -i '/^ *@inlinable$/d' Sources/EventBus/Bus/EventStream.swift
FAULT

plant specialised "called across modules.*" "a post without @inlinable" <<'FAULT'
sed -i '/^ *@inlinable$/d' Sources/EventBus/Bus/EventBus+Post.swift
FAULT

plant specialised "set through its key path" "a rule without @inlinable" <<'FAULT'
sed -i '/^ *@inline(__always)$/d; /^ *@inlinable$/d' Sources/Theming/Binding/ThemeMap.swift
FAULT
