import EventBus
import HotPaths
import LaunchLoader
import Theming

@main
enum Probe {
  static func main() {
    let bus = EventBus()
    let token = bus.observe(.numberDidChange) { print("got", $0) }
    precondition(post(on: bus, times: 2) == 2)
    token.cancel()
    precondition(ping(on: bus, times: 2) == 0)
    precondition(send(on: Signal(), times: 2) == 0)
  }
}
