// swift-tools-version: 6.3

// The programs that README.md, the articles and the documentation comments show:
//
//     swift run --package-path Documentation/Snippets Streams

import PackageDescription

let libraries: [Target.Dependency] = [
  "EventBus", "EventBusTesting", "LaunchLoader", "LaunchPictures", "ObservationBridge", "Theming",
].map { .product(name: $0, package: "EventBus") }

/// A program of one file for each name.
func programs(_ folder: String, _ names: String) -> [Target] {
  names.split(separator: " ").map { name in
    .executableTarget(
      name: String(name),
      dependencies: libraries,
      path: folder,
      sources: ["\(name).swift"]
    )
  }
}

let package = Package(
  name: "Snippets",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "EventBus", path: "../..")],
  targets: [
    programs(
      "EventBus",
      """
      ChoosingEvents CommentsOnEvents CommentsOnOutcomes CommentsOnProperties \
      DebounceAndThrottle Delivering FireTimers FromCombine FromNotificationCenter \
      FromObservation HandlerIsCalledTwice HandlerIsNotCalled NamesBetweenModules \
      ObjectIsNotReleased ObserveCollections ObservingProperties OnTheMainActor Owning \
      PostAndObserve RecordEvents RequestsAndClaims SeeInside SpelledOut StartWithEventBus \
      Streams TestEvents
      """
    ),
    programs(
      "LaunchLoader",
      """
      CommentsOnLaunches CommentsOnServices DrainAndProbe FromAppDelegates FromServiceLifecycle \
      GettingStarted JobsAreDone LaunchTheProgram LogMessages MakeValues OrderWork \
      ReadReport RegisterInItsFile Reload RestartServices ServiceInItsFile ServicesAndReadiness \
      ShuttingDown StopInOrder TestApplication
      """
    ),
    programs(
      "Observation",
      """
      CommentsOnObservation FollowATheme
      """
    ),
    programs(
      "Readme",
      """
      ReadmeDaemon ReadmeEvents ReadmeProperty ReadmeTheme
      """
    ),
    programs(
      "Theming",
      """
      CommentOnScopes CommentsOnThemes CommentsOnViews FromOtherThemes RetrofitAToolkit Scopes \
      StartWithTheming SwitchThemes ThemeAView ThemesAsData
      """
    ),
  ].flatMap { $0 },
  swiftLanguageModes: [.v6]
)
