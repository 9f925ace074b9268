import EventBus
@main enum M { static func main() {} }
