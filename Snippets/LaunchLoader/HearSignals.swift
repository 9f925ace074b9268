// Listen to a signal of the operating system.

// snippet.hide
import LaunchLoader

func reloadConfiguration() {}

// snippet.show
let reloads = UnixSignal.stream(.hangup)
// snippet.hide
UnixSignal.inject(.hangup)
// snippet.show
for await _ in reloads {
  reloadConfiguration()
  // snippet.hide
  break
  // snippet.show
}
