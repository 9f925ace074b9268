import EventBus
import EventBusLogging
import LaunchLoader
import LaunchPictures
import Logging
import NotificationCenterBridge
import ObservationBridge
import Theming

let bus = EventBus()
let name = EventName<Int>("client.didCount")
let logs = bus.startLogging(to: Logger(label: "client") { _ in SwiftLogNoOpLogHandler() })
let token = bus.observe(name) { number in print("heard \(number)") }
bus.post(name, 42)
token.cancel()
logs.cancel()
let loader = LaunchLoader()
loader.register("work") { _ in print("worked") }
print(try loader.plan().svg().hasPrefix("<svg"))
_ = try await loader.launch()
