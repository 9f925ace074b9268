# The faults that Scripts/test-gates.sh plants, one at a time: plant GATE MESSAGE TITLE <<'FAULT'.

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

plant words 'do not import Foundation' "Foundation under Sources, with a reason" <<'FAULT'
echo 'internal import FoundationEssentials  // Reason: planted.' > Sources/Theming/Planted.swift
FAULT

plant words "leaves the caller's actor" "a cancellation handler that leaves the caller's actor" <<'FAULT'
echo 'func planted() async { await withTaskCancellationHandler {} onCancel: {} }' \
  > Sources/LaunchLoader/Services/Running/Planted.swift
FAULT

plant words 'switched off' "@unchecked Sendable without a reason" <<'FAULT'
echo 'final class Planted: @unchecked Sendable {}' > Sources/EventBus/Kit/Planted.swift
FAULT

plant words 'switched off' "an empty reason" <<'FAULT'
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

plant words 'cannot fail' "a disabled test" <<'FAULT'
echo '@Test("Planted", .disabled("later")) func planted() {}' > Tests/EventBusTests/Planted.swift
FAULT

plant words 'standard output' "a library that prints" <<'FAULT'
echo 'func planted() { print("planted") }' > Sources/LaunchLoader/Launch/Running/Planted.swift
FAULT

plant words '< Sources/EventBus/Kit/Planted.swift' "a listed file without unsafe code" <<'FAULT'
echo Sources/EventBus/Kit/Planted.swift >> Scripts/gates/unsafe-files.txt
FAULT

plant words 'Plain technical English' "a word with a plainer alternative in a documentation comment" <<'FAULT'
printf '/// Whoever reads this.\nenum Planted {}\n' > Sources/EventBus/Kit/Planted.swift
FAULT

plant words 'issue tracker' "a note about unfinished work" <<'FAULT'
echo "// TO""DO: planted" > Sources/EventBus/Kit/Planted.swift
FAULT

plant measure 'code-lines grew from' "more lines without a reason" <<'FAULT'
echo 'enum Planted {}' > Sources/EventBus/Kit/Planted.swift
FAULT

plant measure 'pairs grew from' "a block that is written twice" <<'FAULT'
for name in First Second; do
  cat > Sources/Theming/Themes/Planted$name.swift <<SWIFT
func planted$name(_ numbers: [Int]) -> Int {
  var largest$name = 0
  for number in numbers where number > largest$name {
    largest$name = number
  }
  if largest$name > 1000 {
    largest$name = 1000
  }
  return largest$name + numbers.count
}
SWIFT
done
FAULT

plant measure 'in-circles grew from' "two files that use each other" <<'FAULT'
echo 'final class Planted { var other: PlantedToo? }' > Sources/EventBus/Kit/Planted.swift
echo 'final class PlantedToo { var other: Planted? }' > Sources/EventBus/Kit/PlantedToo.swift
FAULT

plant measure 'circles-across grew from' "a circle across two rooms" <<'FAULT'
echo 'final class Planted { var other: PlantedToo? }' > Sources/EventBus/Kit/Planted.swift
echo 'final class PlantedToo { var other: Planted? }' > Sources/EventBus/Tokens/PlantedToo.swift
FAULT

plant measure 'tuple-aliases grew from' "an alias of a tuple with three fields" <<'FAULT'
echo 'typealias Planted = (first: Int, second: [Int: String], third: (Int) -> Void)' > Sources/EventBus/Kit/Planted.swift
FAULT

plant measure 'tuples-nameless grew from' "a result with three fields" <<'FAULT'
echo 'func planted() -> (first: Int, second: Int, third: Int) { (1, 2, 3) }' > Sources/EventBus/Kit/Planted.swift
FAULT

plant measure 'misplaced-names grew from' "a name of three files in a file of another name" <<'FAULT'
echo 'struct PlantedName {}' > Sources/EventBus/Kit/Planted.swift
for n in 1 2 3; do echo "func planted$n(_ name: PlantedName) {}" > Sources/EventBus/Kit/Planted$n.swift; done
FAULT

plant measure 'register grew from' "another overload of register" <<'FAULT'
echo 'extension LaunchLoader { public func register() {} }' | sed 's/{ public/{\n  public/' \
  > Sources/LaunchLoader/Launch/Running/Planted.swift
FAULT

plant measure 'long-files grew from' "a file past 400 lines" <<'FAULT'
for n in {1..401}; do echo "// $n"; done > Integrations/Testing/Planted.swift
FAULT

plant measure 'package grew from' "a package declaration without a user" <<'FAULT'
echo 'package func plantedWithoutUser() {}' > Sources/EventBus/Kit/Planted.swift
FAULT

plant measure 'types was raised in its line' "a figure that is raised in place" <<'FAULT'
sed -i '0,/^types .*/s//types 99999/' Scripts/measures.txt
FAULT

plant measure 'give the reason: types' "a figure that is raised without a reason" <<'FAULT'
echo 'types 99999' >> Scripts/measures.txt
FAULT

plant measure '0 files in Sources/ are called' "a list of files to read with a name that does not exist" <<'FAULT'
sed -i 's/^1\. `\([^`]*\)\.swift`/1. `\1Planted.swift`/' CONTRIBUTING.md
FAULT

plant measure 'no file before Contrast.swift' "a list with a file that nothing leads to" <<'FAULT'
sed -i '0,/^2\. `[^`]*`/s//2. `Contrast.swift`/' CONTRIBUTING.md
FAULT

plant measure 'a superclass, is missing' "a list without a superclass" <<'FAULT'
sed -i '/^[0-9]*\. `TokenTarget.swift`/d' CONTRIBUTING.md
FAULT

plant measure 'read-every grew from' "a longer list of files to read" <<'FAULT'
sed -i 's/^1\. `EveryAndAfter.swift`.*/&\n1. `Tick.swift`: the value./' CONTRIBUTING.md
FAULT

plant measure 'lacks: measure' "a gate that the table does not list" <<'FAULT'
sed -i '/^| `measure` |/d' CONTRIBUTING.md
FAULT

plant workflow 'ci.yml' "a workflow that is not valid YAML" <<'FAULT'
sed -i 's/^jobs:$/jobs/' .github/workflows/ci.yml
FAULT

plant workflow 'unknown keys' "a misspelt key of a job" <<'FAULT'
sed -i '0,/    runs-on:/s//    run-on:/' .github/workflows/ci.yml
FAULT

plant workflow 'needs a job that does not exist' "a job that waits for no job" <<'FAULT'
sed -i 's/needs: \[site, checks\]/needs: [site, tests]/' .github/workflows/ci.yml
FAULT

plant workflow 'no job tests on macOS' "a workflow without tests on macOS" <<'FAULT'
sed -i 's/runs-on: macos-26/runs-on: ubuntu-latest/' .github/workflows/ci.yml
FAULT

plant layers 'EventBus/Kit uses more' "a use of tokens in Kit" <<'FAULT'
echo 'func planted(_ token: Token) {}' > Sources/EventBus/Kit/Planted.swift
FAULT

plant layers 'EventBus/Tokens uses more' "a use in Tokens of an extension in Bus" <<'FAULT'
echo 'extension Token { func planted() {} }' > Sources/EventBus/Bus/Planted.swift
echo 'func plantedUse(_ token: Token) { token.planted() }' > Sources/EventBus/Tokens/PlantedUse.swift
FAULT

plant layers 'is in no folder' "a file beside the folders" <<'FAULT'
echo 'enum Planted {}' > Sources/EventBus/Planted.swift
FAULT

plant layers 'is in no folder' "a folder that is not listed" <<'FAULT'
mkdir -p Sources/EventBus/Utilities
echo 'enum Planted {}' > Sources/EventBus/Utilities/Planted.swift
FAULT

plant layers 'LaunchLoader imports Theming' "an import of Theming in LaunchLoader" <<'FAULT'
echo 'internal import Theming' > Sources/LaunchLoader/Launch/Running/Planted.swift
FAULT

plant layers 'EventBus/Delivery/Queues uses more' "a use of observers in Queues" <<'FAULT'
echo 'func planted(_ observer: AnyObserver) {}' > Sources/EventBus/Delivery/Queues/Planted.swift
FAULT

plant layers 'is in no folder' "a file beside the rooms of a folder" <<'FAULT'
echo 'enum Planted {}' > Sources/EventBus/Delivery/Planted.swift
FAULT

plant layers 'not listed above' "a cycle of folders" <<'FAULT'
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

plant build 'settings of the others: skins' "a target without the common settings" <<'FAULT'
sed -i 's/^for target in package.targets {/for target in package.targets where target.name != "skins" {/' \
  Package.swift
FAULT

plant build 'has dependencies' "a dependency of the package" <<'FAULT'
sed -i 's|^  targets: \[|  dependencies: [.package(path: "Scripts/Probe")],\n  targets: [|' Package.swift
FAULT

plant snippets 'README.md:[0-9]+: this sample, with those' "a comment in README.md that differs from its snippet" <<'FAULT'
sed -i 's|^token.cancel()  // or release it$|token.cancel()  // or let it go|' README.md
FAULT

plant snippets 'README.md:[0-9]+: this sample, with those' "an import that a sample in README.md does not show" <<'FAULT'
sed -i '/^```swift$/,/^```$/ { /^import EventBus$/d }' README.md
FAULT

plant snippets 'Streams.md:[0-9]+: this sample, with those' "a sample of an article with another indentation" <<'FAULT'
sed -i 's/^  \.didProgress,$/    .didProgress,/' Sources/EventBus/EventBus.docc/Streams.md
FAULT

plant snippets 'ThemesAsData.md:[0-9]+: this sample, with those' "a line of a snippet that its article does not show" <<'FAULT'
sed -i 's/^print(ember.explain(.accent))$/&\nprint(night)/' Snippets/Theming/ThemesAsData.swift
FAULT

plant snippets 'Owning.md:[0-9]+: this sample does not compile as' "a sample that compiles only with hidden lines" <<'FAULT'
sed -i 's/^let bus = EventBus()$/\/\/ snippet.hide\n&\n\/\/ snippet.show/' Snippets/EventBus/Owning.swift
sed -i '/^let bus = EventBus()$/d' Sources/EventBus/EventBus.docc/Owning.md
FAULT

plant snippets 'Scopes.md:[0-9]+: this sample does not compile as' "a sample that uses a module it does not import" <<'FAULT'
sed -i 's/^let manager = .*/&\nlet bus = EventBus.default/' Sources/Theming/Theming.docc/Scopes.md
sed -i 's/^import Theming$/\/\/ snippet.hide\nimport EventBus\n\/\/ snippet.show\n&/' Snippets/Theming/Scopes.swift
sed -i 's/^let manager = .*/&\nlet bus = EventBus.default/' Snippets/Theming/Scopes.swift
FAULT

plant snippets 'README.md:[0-9]+: this manifest is not valid' "a manifest in README.md with an unknown product" <<'FAULT'
sed -i 's/\.product(name: "EventBus", package/.product(name: "Skins", package/' README.md
FAULT

plant snippets 'Planted.swift:[0-9]+: this sample is in no file' "a sample in a comment without a snippet" <<'FAULT'
cat > Sources/EventBus/Kit/Planted.swift <<'SWIFT'
/// Planted.
///
/// ```swift
/// let planted = Planted.here
/// ```
enum Planted { case here }
SWIFT
FAULT

plant snippets 'Signal.swift:[0-9]+: this sample does not compile as' "a sample in a comment with a missing declaration" <<'FAULT'
sed -i '/^\/\/\/ let export = Export()$/d' Sources/EventBus/Bus/Signal.swift
sed -i 's/^  let export = Export()$/  \/\/ snippet.hide\n&\n  \/\/ snippet.show/' Snippets/EventBus/CommentsOnEvents.swift
FAULT

plant snippets 'Planted.swift: no page shows this snippet' "a snippet that no page shows" <<'FAULT'
echo 'let planted = 1' > Snippets/Planted.swift
FAULT

plant snippets 'TestingEvents.md:[0-9]+: this sample, with those' "a suite that its article does not show" <<'FAULT'
sed -i 's/^    for text in .*/&  \/\/ planted/' Tests/EventBusTests/Documentation/AutosaveTests.swift
FAULT

plant snippets 'never used|never mutated' "a sample with a warning" <<'FAULT'
printf '\n```swift\nimport EventBus\n\nfunc planted() { let number = 1 }\n```\n' >> Sources/EventBus/EventBus.docc/EventBus.md
printf 'import EventBus\n\nfunc planted() { let number = 1 }\n' > Snippets/Planted.swift
FAULT

plant snippets 'ended with status' "a snippet that traps" <<'FAULT'
printf '// snippet.hide\nprecondition(CommandLine.arguments.isEmpty, "planted")\n' >> Snippets/EventBus/PostAndObserve.swift
FAULT

plant snippets "inaccessible|'package' protection|cannot find" "a sample that uses package API" <<'FAULT'
echo 'extension Token { package func planted() {} }' > Sources/EventBus/Tokens/Planted.swift
printf '\n```swift\nimport EventBus\n\nToken {}.planted()\n```\n' >> Sources/EventBus/EventBus.docc/EventBus.md
printf 'import EventBus\n\nToken {}.planted()\n' > Snippets/Planted.swift
FAULT

plant misuse 'EventBusMisuse.swift:[0-9]+.*expected warning not produced' \
  "a registration whose result may be ignored, and which ends at once" <<'FAULT'
sed -i 's/^  public func observeAll(/  @discardableResult\n&/' Sources/EventBus/Bus/EventBus.swift
FAULT

plant misuse 'EventBusMisuse.swift:[0-9]+.*expected error not produced' "a public initializer of EventNames" <<'FAULT'
sed -i 's/^  init(index: Int).*/&\n\n  \/\/\/ Planted.\n  public convenience init() { self.init(index: 0) }/' \
  Sources/EventBus/Bus/EventName.swift
FAULT

plant misuse 'EventBusMisuse.swift:[0-9]+.*unexpected warning produced' \
  "a registration with an owner whose result must not be ignored" <<'FAULT'
sed -i '/^ *@discardableResult$/d' Sources/EventBus/Bus/Signal+Observe.swift
FAULT

plant misuse 'ThemingMisuse.swift:[0-9]+.*incorrect message found' "a message that reads differently" <<'FAULT'
sed -i 's/@Themed is for properties of classes/@Themed is for classes/' Sources/Theming/Binding/Themed.swift
FAULT

plant misuse 'does not import Theming' "no program for a library" <<'FAULT'
rm Tests/Fixtures/Misuse/*.swift
printf 'import EventBus\nimport LaunchLoader\n' > Tests/Fixtures/Misuse/Planted.swift
FAULT

plant clients 'main actor-isolated property' "a setting that takes the main actor from its classes" <<'FAULT'
sed -i 's/^  if target.name != "LaunchLoader" {$/  do {/' Package.swift
FAULT

plant clients 'crosses into main actor-isolated code' "a delegate method that is not asynchronous" <<'FAULT'
sed -i 's/func applicationDidBecomeActive(_ app: AppHost) async$/func applicationDidBecomeActive(_ app: AppHost)/' \
  Sources/LaunchLoader/Lifecycle/AppHostDelegate.swift
FAULT

plant clients 'no kind of client compiles' "programs of a client that nobody compiles" <<'FAULT'
mkdir Tests/Fixtures/Clients/Planted
echo 'enum Planted {}' > Tests/Fixtures/Clients/Planted/Planted.swift
FAULT

plant api 'public API of Theming' "a new public declaration" <<'FAULT'
printf '/// Planted.\npublic enum Planted: Sendable {}\n' > Sources/Theming/Themes/Planted.swift
FAULT

plant api '^-.*ObservableValue<Value>' "a primary associated type that was dropped" <<'FAULT'
sed -i 's/^public protocol ObservableValue<Value>/public protocol ObservableValue/' \
  Sources/EventBus/Properties/Observed/ObservableValue.swift
FAULT

plant api '^-.*@convention\(c\) \(\) -> Void' "another calling convention" <<'FAULT'
sed -i 's/^public typealias LaunchEntry = @convention(c) /public typealias LaunchEntry = /' \
  Sources/LaunchLoader/Launch/*.swift
FAULT

plant api 'would lose the convention' "a calling convention outside a type alias" <<'FAULT'
printf '/// Planted.\npublic func planted(_ body: @convention(c) () -> Void) { body() }\n' \
  > Sources/LaunchLoader/Launch/Running/Planted.swift
FAULT

plant api 'public API of EventBus' "a removed public declaration" <<'FAULT'
echo 'Planted	enum Planted' >> API/EventBus.txt
FAULT

plant api 'public API of EventBus' "a missing baseline" <<'FAULT'
git rm -q --cached API/EventBus.txt
rm API/EventBus.txt
FAULT

plant documentation 'Planted.swift:1: Planted' "a package type without a comment" <<'FAULT'
echo 'package enum Planted {}' > Sources/EventBus/Kit/Planted.swift
FAULT

plant documentation 'EventBus does not compile' "a library that does not compile" <<'FAULT'
echo 'package func planted() -> Nowhere { Nowhere() }' > Sources/EventBus/Kit/Planted.swift
FAULT

plant catalogs 'warning|error' "a broken link" <<'FAULT'
echo 'See ``PlantedNowhere``.' >> Sources/LaunchLoader/LaunchLoader.docc/LaunchLoader.md
FAULT

plant catalogs 'contain a hash' "a link with a hash" <<'FAULT'
echo 'See ``every(_:owner:_:)-57asd``.' >> Sources/EventBus/EventBus.docc/FiringTimers.md
FAULT

plant catalogs 'is missing' "a module without its landing page" <<'FAULT'
rm Sources/Theming/Theming.docc/Theming.md
FAULT

plant catalogs 'does not list Planted' "a public type missing from the table of contents" <<'FAULT'
printf '/// Planted.\npublic enum Planted: Sendable {}\n' > Sources/Theming/Themes/Planted.swift
FAULT

plant site 'link to Owning.md leads to a file that is not on the site' "a link in an article to a file, not to its page" <<'FAULT'
sed -i '0,/^## /s//See [Owning](Owning.md).\n\n&/' Sources/EventBus/EventBus.docc/Streams.md
FAULT

plant site 'README.md:[0-9]+: the link to .*Planted.md leads to no file' "a link in README.md to a file that is missing" <<'FAULT'
sed -i 's|(Sources/EventBus/EventBus.docc/Owning.md)|(Sources/EventBus/EventBus.docc/Planted.md)|' README.md
FAULT

plant site 'CHANGELOG.md:[0-9]+: the link to README.md#planted leads to no heading' "a link to a heading that is missing" <<'FAULT'
echo 'See [the README](README.md#planted).' >> CHANGELOG.md
FAULT

plant site 'link to /documentation/launchpictures/launchloader leads to no page' "an extension without a page above it" <<'FAULT'
printf '\n## Topics\n\n- ``LaunchLoader/LaunchReport/svg``\n- ``LaunchLoader/LaunchPlan/svg``\n' \
  >> Integrations/Pictures/LaunchPictures.docc/LaunchPictures.md
FAULT

plant site 'the browser reports: .*theme-settings.json' "a site without a file that its pages load" <<'FAULT'
sed -i 's|> "$folder/theme-settings.json"|> /dev/null|' Scripts/site.sh
FAULT

plant tests-debug 'Planted' "a test that fails" <<'FAULT'
printf 'import Testing\n\n@Test("Planted") func planted() { #expect(Bool(false)) }\n' \
  > Tests/EventBusTests/Planted.swift
FAULT

plant tests-debug 'no test ran|failures in' "a run without tests" <<'FAULT'
sed -i 's/swift test$/swift test --filter Nowhere/' Scripts/gates/tests-debug.sh
FAULT

plant tests-debug 'swift test' "a test that crashes" <<'FAULT'
printf 'import Testing\n\n@Test("Planted") func planted() { preconditionFailure("planted") }\n' \
  > Tests/EventBusTests/Planted.swift
FAULT

plant tests-release 'Planted' "a library that fails only when optimized" <<'FAULT'
cat > Sources/EventBus/Kit/Planted.swift <<'SWIFT'
package func planted() -> Bool {
  var debug = false
  assert({ debug = true; return true }())
  return debug
}
SWIFT
printf 'import EventBus\nimport Testing\n\n@Test("Planted") func plantedTest() { #expect(planted()) }\n' \
  > Tests/EventBusTests/Planted.swift
FAULT

plant tests-release 'conditions on DEBUG' "a declaration that depends on the configuration" <<'FAULT'
printf '#if DEBUG\nenum Planted {}\n#endif\n' > Sources/EventBus/Kit/Planted.swift
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

plant demo 'ended with status 1' "a wrong line of the story" <<'FAULT'
sed -i '0,/manager.subscriberCount)",/s//manager.subscriberCount + 1)",/' \
  Examples/Skins/Story+Switching.swift
FAULT

plant demo 'story of skins .*differs' "a changed story" <<'FAULT'
sed -i 's/"A switch sets /"A switch set /' Examples/Skins/Story+Switching.swift
FAULT

plant demo 'picture of skins .*differs' "a changed picture" <<'FAULT'
sed -i 's/barHeight = 28/barHeight = 29/' Examples/Skins/SVG.swift
FAULT

plant demo 'no other file of the examples' "a second file of the demo that imports Foundation" <<'FAULT'
echo 'import FoundationEssentials  // Reason: planted.' > Examples/Skins/Planted.swift
FAULT

plant cross 'is only available in macOS 26.0 or newer' "a symbol of a newer system" <<'FAULT'
sed -i 's/^    if #available(macOS 26.0.*/    if true {/' Sources/LaunchLoader/Launch/Running/LaunchRunner.swift
FAULT

plant cross 'expression uses unsafe constructs but is not marked' "a thread of Darwin without unsafe" <<'FAULT'
sed -i 's/if let thread = unsafe thread {/if let thread {/' Sources/EventBus/Kit/CurrentThread.swift
FAULT

plant cross "cannot find 'sched_getcpu' in scope" "a call of Glibc in the branch of every system" <<'FAULT'
sed -i 's/^package func startThread(/func planted() -> Int32 { Int32(sched_getcpu()) }\n\n&/' Sources/EventBus/Kit/CurrentThread.swift
FAULT

plant cross 'Pictures does not compile for x86_64-swift-linux-musl' "a call of Glibc in the branch of Linux" <<'FAULT'
cat > Integrations/Pictures/Planted.swift <<'SWIFT'
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#endif

#if os(Linux)
func planted() -> Int32 { rpmatch("y") }
#endif
SWIFT
FAULT

plant cross 'skins does not compile for arm64-apple-macos' "a call of Foundation on Linux only in the demo" <<'FAULT'
sed -i 's/^#if canImport(FoundationEssentials)$/#if canImport(Glibc)/; s/^import Foundation  .*//' Examples/Skins/ThemeFiles.swift
FAULT

plant cross 'LaunchLoader does not compile for arm64-apple-' "a misspelt field of Apple's C library" <<'FAULT'
sed -i 's/__sigaction_u\.__sa_handler = handler/__sigaction_u.__sa_handlr = handler/' \
  Sources/LaunchLoader/System/SignalDisposition.swift
FAULT

plant cross 'LaunchLoader does not compile for x86_64-swift-linux-musl' "a misspelt field of musl" <<'FAULT'
sed -i 's/__sa_handler\.sa_handler = handler/__sa_handler.sa_handlr = handler/' \
  Sources/LaunchLoader/System/SignalDisposition.swift
FAULT

plant cross 'LaunchLoader does not compile for arm64-apple-macos' "a call of macOS without its module" <<'FAULT'
sed -i '/import MachO/d' Sources/LaunchLoader/System/ServiceProcess.swift
FAULT

plant cross 'deinit.* is only available in macOS 15.4' "a deinit that is too new, in a test" <<'FAULT'
sed -i '/@available(macOS 15.4/d' Tests/EventBusTests/Delivery/DyingActorExitTests.swift
FAULT

plant cross "no such module 'Glibc'" "a C library without the other systems" <<'FAULT'
printf 'private import Glibc\n\nfunc planted() -> Int32 { getpid() }\n' > Sources/LaunchLoader/Launch/Running/Planted.swift
FAULT

plant cross 'TestSupport does not compile for arm64-apple-macos' "a call of Linux in TestSupport" <<'FAULT'
sed -i 's/posix_openpt(O_RDWR/posix_openpty(O_RDWR/' Tests/TestSupport/Terminal.swift
FAULT

plant cross 'SignalsFixture does not compile for arm64-apple-macos' "a type of Linux in a fixture" <<'FAULT'
sed -i 's/posix_spawnattr_t?>/posix_spawnattr_t>/' Tests/Fixtures/Signals/MiniShell.swift
FAULT

plant cross 'samples with .* do not compile' "a call that the libraries no longer have" <<'FAULT'
sed -i 's/public func enterForeground(/public func comeToForeground(/' Sources/LaunchLoader/Lifecycle/AppHost+States.swift
FAULT

plant cross 'ThemingTests does not compile for arm64-apple-macos' "a test that does not compile for macOS" <<'FAULT'
printf '#if os(macOS)\nlet planted: Int = "text"\n#endif\n' > Tests/ThemingTests/Planted.swift
FAULT

plant cross 'must have Optional type' "a thread in only one form of Apple's headers" <<'FAULT'
sed -i 's/{ unsafe run(\$0) }/{ guard let argument = unsafe $0 else { return nil }; return unsafe run(argument) }/' \
  Sources/EventBus/Kit/CurrentThread.swift
FAULT

plant cross 'has no target Planted' "an exclusion of a target that does not exist" <<'FAULT'
sed -i 's/^  \[daemon\]=/  [Planted]="planted"\n&/' Scripts/gates/cross.sh
FAULT

plant premain 'output of the fixture differs' "a feature whose entry is in another section" <<'FAULT'
sed -i 's/"\.init_array"/".planted"/' Tests/Fixtures/PreMain/Logging/Logging.swift
FAULT

plant foundation 'Foundation is linked' "a library that uses Foundation" <<'FAULT'
printf 'internal import Foundation\n\n/// Planted.\npublic func planted() -> String { ProcessInfo.processInfo.hostName }\n' \
  > Sources/Theming/Themes/Planted.swift
FAULT

plant daemon 'no longer than the limits' "a unit that kills the daemon before its own limits" <<'FAULT'
sed -i 's/^TimeoutStopSec=.*/TimeoutStopSec=25/' Examples/Daemon/daemon.service
FAULT

plant daemon 'does not do under systemd' "a unit that forbids a system call of the runtime" <<'FAULT'
sed -i 's/^SystemCallFilter=.*/&\nSystemCallFilter=~@resources/' Examples/Daemon/daemon.service
FAULT

plant snippets 'ADaemonFromNothing.md:[0-9]+: this sample, with those' "a file of the daemon that its article does not show" <<'FAULT'
sed -i 's/context.markReady()$/&  \/\/ planted/' Examples/Daemon/Announcer.swift
FAULT

plant specialized "called across modules.*" "a send without @inlinable" <<'FAULT'
sed -i '/^ *@inlinable$/d' Sources/EventBus/Bus/Signal.swift
FAULT

plant specialized "called across modules.*" "a stream without @inlinable" <<'FAULT'
sed -i '/^ *@inlinable$/d' Sources/EventBus/Delivery/Streams/EventStream.swift
FAULT

plant specialized "called across modules.*" "a post without @inlinable" <<'FAULT'
sed -i '/^ *@inlinable$/d' Sources/EventBus/Bus/EventBus+Post.swift
FAULT

plant specialized "set through its key path" "a rule without @inlinable" <<'FAULT'
sed -i '/^ *@inline(__always)$/d; /^ *@inlinable$/d' Sources/Theming/Binding/ThemeMap.swift
FAULT

plant size 'a loop around a post is' "a post that is inlined with all of its rare paths" <<'FAULT'
sed -i '/^  @inline(never)$/d; s/^  @usableFromInline$/  @inlinable @inline(__always)/' \
  Sources/EventBus/Bus/SignalCore.swift
FAULT

plant size 'EventBus is [0-9]*, at most' "fifty kB of new code" <<'FAULT'
{
  echo 'package enum Planted {'
  for n in {1..400}; do
    echo "  package static func planted$n(_ a: [String: Int]) -> [String] { a.filter { \$0.value > $n }.map { \"\\(\$0.key)$n\" }.sorted() }"
  done
  echo '}'
} > Sources/EventBus/Kit/Planted.swift
FAULT

plant platforms 'does not compile for 32 bits' "a literal that needs 64 bits" <<'FAULT'
sed -i 's/UInt64(number) &\*/number \&*/; s/-> UInt64 {/-> UInt {/' Sources/EventBus/Kit/SweepProbe.swift
FAULT

plant platforms 'does not compile for 32 bits' "a literal that is too large" <<'FAULT'
printf '\nfunc planted() -> Int { 0x1_0000_0000 }\n' >> Sources/EventBus/Kit/NumberedList.swift
FAULT

plant platforms 'a shift that needs 64 bits' "a shift past the end" <<'FAULT'
sed -i 's/\.seconds(Int64(1) << 31)/.seconds(1 << 31)/' Sources/EventBus/Kit/TimeLimit.swift
FAULT

plant platforms 'takes any unknown C library' "a ladder that ends with Darwin" <<'FAULT'
sed -i 's/^#elseif canImport(Darwin)$/#else/; /^#error/d' Sources/EventBus/Kit/Diagnostics.swift
FAULT

plant platforms 'without #if objectFormat' "a launch entry for Linux only" <<'FAULT'
sed -i '/^#if objectFormat/,/^#else$/d; /^#endif$/d' Examples/Skins/Logbook.swift
FAULT

plant platforms 'Fence.* contains exit tests' "an exit test among other tests" <<'FAULT'
cat >> Tests/EventBusTests/Delivery/FenceTests.swift <<'SWIFT'

@Test("Planted") func planted() async { await #expect(processExitsWith: .success) {} }
SWIFT
FAULT

plant platforms 'contains exit tests' "exit tests for every system" <<'FAULT'
sed -i '1d;$d' Tests/EventBusTests/Properties/ComputedExitTests.swift
FAULT

plant platforms 'does not list these conditions' "a test for Linux only" <<'FAULT'
sed -i '1s/ || os(macOS)//' Tests/LaunchLoaderTests/Signals/SignalBridgeTests.swift
FAULT

plant platforms 'does not list these conditions' "a condition that is no longer there" <<'FAULT'
sed -i '/#if os(Linux)/,/#endif/d' Tests/LaunchLoaderTests/Signals/SignalProcessTests.swift
FAULT

plant platforms 'is no file of Scripts/Platforms/Samples' "a sample that differs from its file" <<'FAULT'
sed -i 's/label.text = /label.text = "" + /' Scripts/Platforms/Samples/Timers.swift
FAULT

plant platforms 'show 7 of 8 files' "a sample that no article shows" <<'FAULT'
echo 'import UIKit' > Scripts/Platforms/Samples/Planted.swift
FAULT

plant platforms 'such samples belong in' "a sample with UIKit in another article" <<'FAULT'
printf '\n```swift\nimport UIKit\n```\n' >> Sources/EventBus/EventBus.docc/Streams.md
FAULT

plant premain 'with two copies of LaunchLoader does not say so' "a launch that looks for no other copy" <<'FAULT'
sed -i 's/if unsafe address() != own { return true }/_ = unsafe address() != own/' \
  Sources/LaunchLoader/System/ServiceProcess.swift
FAULT

plant premain 'through its hook' "an application that does not report another copy" <<'FAULT'
sed -i '/loader.reportOtherCopies(messages.send)/d' Sources/LaunchLoader/Lifecycle/AppHost+Running.swift
FAULT

plant premain 'a program with one copy of LaunchLoader printed' "copies that are counted by their code" <<'FAULT'
sed -i 's/let address = unsafe unsafeBitCast(symbol, to: Address.self)/let address = { unsafe UnsafeRawPointer(symbol) }/' \
  Sources/LaunchLoader/System/ServiceProcess.swift
FAULT

plant publish 'LICENSE differs from LICENSE' "a package whose license is not that of the libraries" <<'FAULT'
echo 'another condition' >> LICENSE
FAULT
