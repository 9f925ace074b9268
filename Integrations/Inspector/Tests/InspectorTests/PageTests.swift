import EventBus
import Foundation
import LaunchLoader
import Testing

@testable import Inspector

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The page and its server", .timeLimit(.minutes(1)))
struct PageTests {
  @Test("Only the address with the token is answered")
  func token() async throws {
    try await serve(Inspector(EventBus(), port: 0)) { url in
      let page = try await get(url)
      #expect(page.status == 200)
      #expect(page.text.contains("<canvas"))
      #expect(page.policy.contains("default-src 'none'"))
      let token = try #require(url.split(separator: "/").last)
      #expect(token.count == 32)
      let root = String(url.dropLast(token.count + 1))
      let wrong = token.dropLast()
      for path in ["", "stream", "index.html", "\(wrong)/", "\(wrong)x/stream"] {
        #expect(try await get(root + path).status == 404, "\(path)")
      }
      for method in ["POST", "PUT", "DELETE"] {
        #expect(try await get(url, method).status == 404, "\(method)")
        #expect(try await get(url + "stream", method).status == 404, "\(method)")
      }
    }
  }

  @Test("Each run has another token")
  func tokens() {
    #expect(Set((0..<100).map { _ in Page.randomToken() }).count == 100)
  }

  @Test("The page is served on the loopback interface only")
  func loopback() async throws {
    try await serve(Inspector(EventBus())) { url in
      let port = try #require(URL(string: url)?.port)
      #expect(url.hasPrefix("http://127.0.0.1:\(port)/"))
      #if os(Linux)
      let digits = String(port, radix: 16, uppercase: true)
      let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
      var addresses: [Substring] = []
      for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        for line in try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n") {
          let fields = line.split(separator: " ")
          // The state 0A is that of a socket that listens.
          guard fields.count > 3, fields[1].hasSuffix(suffix), fields[3] == "0A" else { continue }
          addresses.append(fields[1].dropLast(suffix.count))
        }
      }
      #expect(addresses == ["0100007F"])
      #endif
    }
  }

  @Test("A port that is in use is named in the error, and one beyond all ports")
  func port() async throws {
    try await serve(Inspector(EventBus())) { url in
      for port in [try #require(URL(string: url)?.port), 70_000, -1] {
        let run = try start(Inspector(EventBus(), port: port))
        do {
          try await run.waitUntilReady()
          Issue.record("Port \(port) was served.")
          run.shutdown()
        } catch {
          #expect("\(error)".contains("port \(port)"), "\(error)")
        }
        _ = try? await run.waitUntilStopped()
      }
    }
  }

  @Test("A page that streams ends with its inspector, which leaves nothing behind")
  func dropped() async throws {
    let bus = EventBus()
    weak var recorder: Recorder?
    let reader = StreamReader()
    let session = URLSession(configuration: .ephemeral, delegate: reader, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    var chunks = reader.chunks.makeAsyncIterator()
    do {
      let inspector = Inspector(bus)
      recorder = inspector.model.recorder
      let run = try start(inspector)
      try await run.waitUntilReady()
      let url = try #require(inspector.url)
      _ = try await get(url)
      session.dataTask(with: try #require(URL(string: url + "stream"))).resume()
      var text = try #require(await chunks.next())
      bus.post(EventName<Int>("sample"), 1)
      while !text.contains("\"sample\"") { text += try #require(await chunks.next()) }
      // Released without a request to stop: the service is cancelled.
    }
    while await chunks.next() != nil {}
    await until(recorder == nil)
    #expect(bus.snapshot().observations.isEmpty)
  }

  @Test("A saved file has the data and loads nothing from elsewhere")
  func savedFile() throws {
    let bus = EventBus(label: "</script><img src=x>")
    let inspector = Inspector(bus)
    bus.post(EventName<Int>("</script><script>alert(1)</script>"), 1)
    let path = NSTemporaryDirectory() + "page-\(UUID().uuidString).html"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try inspector.save(to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    // Its own two elements: the data and the script.
    #expect(text.components(separatedBy: "<script").count == 3)
    #expect(text.components(separatedBy: "</script").count == 3)
    #expect(text.contains("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"))
    #expect(!text.contains("<img"))
    let addresses = text.components(separatedBy: "http").dropFirst().map { "http" + $0.prefix(30) }
    let foreign = addresses.filter { $0.hasPrefix("http:") || $0.hasPrefix("https:") }
      .filter { !$0.hasPrefix("http://www.w3.org/2000/svg") }
    #expect(foreign.isEmpty, "A namespace is the only address.")
  }

  @Test("A feed sends everything once, then only new data")
  func feed() {
    let bus = EventBus()
    let inspector = Inspector(bus)
    var feed = PageFeed(inspector.model)
    let first = feed.next()
    #expect(first?.hasPrefix("event: meta\ndata: {") == true)
    #expect(first?.contains("event: observers\n") == true)
    let nothing = feed.next()
    #expect(nothing == nil)
    bus.post(EventName<Int>("sample"), 1)
    let second = feed.next()
    #expect(second?.hasPrefix("event: trace\n") == true)
    #expect(second?.contains("\"sample\"") == true)
    #expect(second?.contains("event: observers\n") == false)
    bus.post(EventName<Int>("sample"), 1)
    let third = feed.next()
    #expect(third?.contains("\"sample\"") == false, "The page has the string.")
    inspector.sample()
    let fourth = feed.next()
    #expect(fourth?.hasPrefix("event: observers\n") == true)
  }

  /// Starts an inspector alone, in a group without an application.
  private func start(_ inspector: Inspector) throws -> AppServiceGroup {
    let group = AppServiceGroup("test")
    try group.add(inspector, options: AppServiceOptions(reportsReadiness: true))
    try group.start()
    return group
  }

  private func serve(
    _ inspector: Inspector,
    _ body: (String) async throws -> Void
  ) async throws {
    let run = try start(inspector)
    try await run.waitUntilReady()
    do {
      try await body(try #require(inspector.url))
    } catch {
      run.cancel()
      throw error
    }
    run.shutdown()
    try await run.waitUntilStopped()
    #expect(inspector.url == nil)
  }

  private func get(
    _ url: String,
    _ method: String = "GET"
  ) async throws -> (status: Int, text: String, policy: String) {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    let (data, response) = try await URLSession.shared.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    return (
      http.statusCode, String(decoding: data, as: UTF8.self),
      http.value(forHTTPHeaderField: "Content-Security-Policy") ?? ""
    )
  }
}

/// Receives an answer piece by piece.
private final class StreamReader: NSObject, URLSessionDataDelegate, Sendable {
  let chunks: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  override init() {
    (chunks, continuation) = AsyncStream.makeStream()
    super.init()
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    continuation.yield(String(decoding: data, as: UTF8.self))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError: (any Error)?) {
    continuation.finish()
  }
}
