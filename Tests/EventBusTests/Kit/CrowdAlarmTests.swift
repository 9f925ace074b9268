import EventBus
import Testing

@Suite("Alarms of crowded queues")
struct CrowdAlarmTests {
  @Test("A length is reported when it exceeds 10,000, and then twice as much each time")
  func doubling() {
    var alarm = CrowdAlarm()
    let reported = (1...100_000).filter { alarm.isDue($0) }
    #expect(reported == [10_001, 20_001, 40_001, 80_001])
  }

  @Test("A queue that is emptied and grows again is reported when it is longer than ever")
  func again() {
    var alarm = CrowdAlarm()
    let answers = [10_000, 10_001, 10_001, 20_000, 200_000].map { alarm.isDue($0) }
    #expect(answers == [false, true, false, false, true])
    #expect(alarm.threshold == 320_000)
  }
}
