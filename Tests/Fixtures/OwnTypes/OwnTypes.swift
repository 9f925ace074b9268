// A program that imports every product and declares types with the names of ours.

import EventBus
import EventBusTesting
import LaunchLoader
import LaunchPictures
import NotificationCenterBridge
import ObservationBridge
import Theming

/// A token of a parser.
struct Token { var text = "import" }
/// A bag of tokens of a parser.
struct TokenBag { var tokens = [Token()] }
/// The priority of a task in a list.
enum Priority { case high, low }
/// The lifetime of an insect, in days.
struct Lifetime { var days = 1 }
/// A tick of a stock exchange.
struct Tick { var price = 1 }
/// The host of an application on the network.
struct AppHost { var address = "localhost" }
/// A signal of a railway.
struct UnixSignal { var isRed = true }

let (mine, bag, priority) = (Token(), TokenBag(), Priority.high)
let (lifetime, tick, host, signal) = (Lifetime(), Tick(), AppHost(), UnixSignal())
print(mine.text, bag.tokens.count, priority, lifetime.days, tick.price, host.address, signal.isRed)

extension EventNames {
  static let didParse = EventName<Int>("own.didParse")
}

let bus = EventBus()
let owner = EventBus.Lifetime()
let kept = EventBus.TokenBag()
let first: EventBus.Priority = .high
let token: EventBus.Token = bus.observe(.didParse, priority: first) { count in print(count) }
token.attach(to: owner)
bus.observe(.didParse) { count in print(count) }.store(in: kept)
bus.post(.didParse, 1)
let timer = every(.seconds(1)) { (tick: EventBus.Tick) in print(tick.index) }
timer.cancel()
let app: LaunchLoader.AppHost = LaunchLoader.AppHost(bus: bus, loader: LaunchLoader())
let stop: LaunchLoader.UnixSignal = .terminate
print(app.state, stop, try LaunchLoader().plan().dot(), RGBA(0x6EA0FF).hex)
