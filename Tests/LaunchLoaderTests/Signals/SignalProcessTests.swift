#if os(Linux) || os(macOS)
import TestSupport
import Testing

/// Signals that really come, to a program that was built beside the tests.
@Suite("Signals of a process", .timeLimit(.minutes(5)))
struct SignalProcessTests {
  private let program: RunningProgram

  init() throws { program = try RunningProgram(Program("SignalsFixture")) }

  @Test("SIGTERM reaches the waiting task; without listeners it ends the program")
  func terminates() throws {
    #expect(try program.ask("listen a \(SIGTERM)") == "listening")
    program.signal(SIGTERM)
    #expect(try program.line() == "a SIGTERM")
    program.signal(SIGTERM)
    #expect(try program.line() == "a SIGTERM")
    #expect(try program.ask("leave a") == "left")
    program.signal(SIGTERM)
    #expect(try program.wait() == -SIGTERM)
  }

  @Test("All listeners of a signal receive it until the last one has left")
  func everybody() throws {
    #expect(try program.ask("listen a \(SIGUSR1)") == "listening")
    #expect(try program.ask("listen b \(SIGUSR1) \(SIGHUP)") == "listening")
    program.signal(SIGUSR1)
    #expect(try Set([program.line(), program.line()]) == ["a SIGUSR1", "b SIGUSR1"])
    program.signal(SIGHUP)
    #expect(try program.line() == "b SIGHUP")
    #expect(try program.ask("leave a") == "left")
    program.signal(SIGUSR1)
    #expect(try program.line() == "b SIGUSR1")
    #expect(try program.ask("leave b") == "left")
    program.signal(SIGHUP)
    #expect(try program.wait() == -SIGHUP)
  }

  @Test("A previously installed handler is called again when no listener remains")
  func handler() throws {
    #expect(try program.ask("handle x \(SIGUSR2)") == "handling")
    program.signal(SIGUSR2)
    #expect(try program.line() == "handler \(SIGUSR2)")
    for _ in 0..<2 {
      #expect(try program.ask("listen a \(SIGUSR2)") == "listening")
      program.signal(SIGUSR2)
      #expect(try program.line() == "a SIGUSR2")
      #expect(try program.ask("leave a") == "left")
      program.signal(SIGUSR2)
      #expect(try program.line() == "handler \(SIGUSR2)")
    }
  }

  @Test("A previously ignored signal is ignored again when no listener remains")
  func ignoring() throws {
    #expect(try program.ask("ignore x \(SIGHUP)") == "ignoring")
    #expect(try program.ask("listen a \(SIGHUP)") == "listening")
    program.signal(SIGHUP)
    #expect(try program.line() == "a SIGHUP")
    #expect(try program.ask("leave a") == "left")
    program.signal(SIGHUP)
    #expect(try program.ask("say alive") == "alive")
  }

  @Test("A handler installed during listening stays when no listener remains")
  func replaced() throws {
    #expect(try program.ask("listen a \(SIGUSR1)") == "listening")
    #expect(try program.ask("handle x \(SIGUSR1)") == "handling")
    #expect(try program.ask("leave a") == "left")
    program.signal(SIGUSR1)
    #expect(try program.line() == "handler \(SIGUSR1)")
  }

  @Test("A signal that was not taken has its default effect when the last listener leaves")
  func untaken() throws {
    #expect(try program.ask("keep a \(SIGUSR1)") == "kept")
    #expect(try program.ask("listen b \(SIGUSR2)") == "listening")
    program.signal(SIGUSR1)
    program.signal(SIGUSR2)
    // This one was received, so the other one has arrived.
    #expect(try program.line() == "b SIGUSR2")
    program.send("drop a")
    #expect(try program.wait() == -SIGUSR1)
  }

  @Test("A signal that was taken has no other effect when the last listener leaves")
  func taken() throws {
    #expect(try program.ask("keep a \(SIGUSR1)") == "kept")
    #expect(try program.ask("listen b \(SIGUSR1)") == "listening")
    program.signal(SIGUSR1)
    #expect(try program.line() == "b SIGUSR1")
    #expect(try program.ask("leave b") == "left")
    #expect(try program.ask("drop a") == "dropped")
    #expect(try program.ask("say alive") == "alive")
  }

  @Test("A program started with blocked signals still receives them")
  func blocked() throws {
    let deaf = try RunningProgram(Program("SignalsFixture"), blocksSignals: true)
    #expect(try deaf.ask("listen a \(SIGTERM) \(SIGHUP)") == "listening")
    deaf.signal(SIGTERM)
    #expect(try deaf.line() == "a SIGTERM")
    deaf.signal(SIGHUP)
    #expect(try deaf.line() == "a SIGHUP")
    #expect(try deaf.ask("leave a") == "left")
    #expect(try deaf.ask("listen b \(SIGTERM)") == "listening")
    deaf.signal(SIGTERM)
    #expect(try deaf.line() == "b SIGTERM")
  }

  @Test("An injected signal is received and has no effect on the process")
  func injected() throws {
    #expect(try program.ask("listen a \(SIGTERM)") == "listening")
    #expect(try program.ask("keep b \(SIGTERM)") == "kept")
    program.send("inject x \(SIGTERM)")
    #expect(try Set([program.line(), program.line()]) == ["a SIGTERM", "injected"])
    #expect(try program.ask("leave a") == "left")
    #expect(try program.ask("drop b") == "dropped")
    #expect(try program.ask("inject x \(SIGTERM)") == "injected")
    #expect(try program.ask("say alive") == "alive")
  }

  @Test("A child between fork and exec is ended by its signals, which do not reach its parent")
  func forks() throws {
    #expect(try program.ask("listen a \(SIGTERM)") == "listening")
    #expect(try program.ask("fork x \(SIGTERM)") == "the child ended by 15")
    #expect(try program.ask("say alive") == "alive")
    program.signal(SIGTERM)
    #expect(try program.line() == "a SIGTERM")
  }

  @Test("Listening passes no descriptor to executed programs")
  func descriptors() throws {
    let before = try program.ask("leaks")
    #expect(try program.ask("listen a \(SIGTERM)") == "listening")
    #expect(try program.ask("leaks") == before)
  }

  @Test("A program that closes its descriptors gets its signals, one warning, and no busy loop")
  func closedDescriptors() async throws {
    #expect(try program.ask("listen a \(SIGTERM) \(SIGHUP)") == "listening")
    for _ in 0..<2 {
      #expect(try program.ask("close") == "closed")
      await program.rest()
      for (number, name) in [(SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP")] {
        program.signal(number)
        #expect(try program.line() == "a \(name)")
      }
    }
    let lines = try program.standardError.split(separator: "\n")
    #expect(
      lines == [
        "LaunchLoader: Cannot read the signal pipe: it was closed. A new pipe replaces it."
      ]
    )
    #expect(try program.ask("leave a") == "left")
    program.signal(SIGTERM)
    #expect(try program.wait() == -SIGTERM)
  }

  @Test("While listeners come and go, each signal reaches one of them or the previous handler")
  func storm() throws {
    let numbers: [Int32] = [SIGUSR1, SIGUSR2, SIGALRM, SIGIO]
    let words = numbers.map(String.init).joined(separator: " ")
    #expect(try program.ask("storm x \(words)") == "raging")
    var (heard, handled, turn) = (0, 0, 0)
    // Until both have happened often: they do come and go.
    while turn < 4_000 || ((heard < 200 || handled < 200) && turn < 200_000) {
      let number = numbers[turn % numbers.count]
      turn += 1
      program.signal(number)
      // Others are second answers to earlier ones.
      while true {
        let byte = try Int32(program.byte())
        if byte == number { heard += 1 }
        if byte == number + 100 { handled += 1 }
        if byte % 100 == number { break }
      }
    }
    #expect(heard >= 200 && handled >= 200, "\(heard) heard, \(handled) handled")
  }
}
#endif
