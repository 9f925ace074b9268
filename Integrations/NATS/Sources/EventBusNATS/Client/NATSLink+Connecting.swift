internal import Dispatch
internal import Synchronization

extension NATSLink {
  /// Makes the first connection.
  ///
  /// - Parameters:
  ///   - urls: The addresses.
  ///   - options: The options.
  ///   - events: The object that notes the changes of the connection.
  /// - Returns: The connection; `nil` if no server is there, and the options say that it is waited for.
  /// - Throws: ``NATSError``.
  static func firstConnection(
    _ urls: [String],
    _ options: NATSConnection.Configuration,
    _ events: ConnectionEvents
  ) async throws(NATSError) -> ClientConnection? {
    do throws(NATSError) {
      return try await connect(urls, options, events)
    } catch {
      guard options.waitsForServer, error.code == .notConnected else {
        // The attempt of a cancelled task may still succeed.
        events.ended()
        throw error
      }
      events.wait(error)
      return nil
    }
  }

  /// Connects with the present credentials; waits for the server, or until the task is cancelled.
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
    // A cancelled task does not wait for the client, whose connection ends unused then.
    let promise = Promise<ClientConnection>()
    DispatchQueue.global().async {
      do throws(NATSError) {
        promise.fulfill(.success(try ClientConnection(urls, options, events)))
      } catch {
        promise.fulfill(.failure(error))
      }
    }
    return try await promise.value()
  }

  /// The longest pause between two attempts to connect, with credentials that the server has refused or before the
  /// first connection.
  private static let longestPause = Duration.seconds(5)

  /// Makes a connection after the client has given up the last one, or the first one if no server was there, with
  /// growing pauses between the attempts.
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
          events.attemptFailed(error)
        }
      }
    }
    setConnecting(task)
  }
}
