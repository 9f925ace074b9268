internal import Dispatch
internal import Synchronization

extension NATSLink {
  /// Connects with the present credentials; waits for the server.
  ///
  /// - Parameters:
  ///   - urls: The addresses.
  ///   - options: The options.
  ///   - events: The object that notes the changes of the connection.
  /// - Returns: The connection.
  /// - Throws: ``NATSError``.
  static func connect(
    _ urls: [String],
    _ options: NATSConnection.Configuration,
    _ events: ConnectionEvents
  ) async throws(NATSError) -> ClientConnection {
    var present = options
    present.credentials = try await renewed(options.credentials)
    return try await connect(urls, with: present, events)
  }

  /// The credentials of the next connection, from the closure if they are renewed.
  ///
  /// - Throws: ``NATSError`` if the closure throws, or returns none that can be used.
  private static func renewed(
    _ credentials: NATSConnection.Configuration.Credentials?
  ) async throws(NATSError) -> NATSConnection.Configuration.Credentials? {
    guard case .renewed(let renew) = credentials else { return credentials }
    let made: NATSConnection.Configuration.Credentials
    do { made = try await renew() } catch {
      throw NATSError(.notAuthorized, "The credentials cannot be renewed: \(error)")
    }
    if case .renewed = made {
      let words =
        "The closure of renewed credentials returned renewed credentials: return a user, a token, "
      throw NATSError(.invalidOption, words + "a file or an NKey")
    }
    return made
  }

  /// Connects with credentials that are not renewed.
  private static func connect(
    _ urls: [String],
    with options: NATSConnection.Configuration,
    _ events: ConnectionEvents
  ) async throws(NATSError) -> ClientConnection {
    let result: Result<ClientConnection, NATSError> = await withCheckedContinuation {
      continuation in
      DispatchQueue.global().async {
        do throws(NATSError) {
          let made = try ClientConnection(urls, options, events)
          continuation.resume(returning: .success(made))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// The longest pause between two attempts to connect with credentials that the server has refused.
  private static let longestPause = Duration.seconds(5)

  /// Makes another connection after the client has given up the last one, with growing pauses between the attempts.
  ///
  /// Renewed credentials are asked for again only after the server has refused the last ones. The task does not keep
  /// the link, and ends when that is closed, even while it waits for them.
  func connectAgain() {
    guard beginConnecting() else { return }
    let task = Task { [weak self, urls, options, events] in
      var pause = options.reconnectPause
      var present: NATSConnection.Configuration?
      while true {
        do { try await Task.sleep(for: pause) } catch { return }
        pause = min(Self.longestPause, max(.milliseconds(10), pause * 2))
        guard !events.isClosed.load(ordering: .acquiring) else { return }
        do throws(NATSError) {
          var used = present ?? options
          if present == nil { used.credentials = try await Self.renewed(options.credentials) }
          present = used
          guard !Task.isCancelled else { return }
          let made = try await Self.connect(urls, with: used, events)
          guard let self, !self.adopt(made) else { return }
          // The client has closed it meanwhile, as after a refusal.
          present = nil
        } catch {
          if Task.isCancelled { return }
          if error.code == .notAuthorized || error.code == .invalidOption { present = nil }
          events.failed(error.detail, isOfCredentials: error.code == .notAuthorized)
        }
      }
    }
    setConnecting(task)
  }
}
