internal import Dispatch

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
    _ options: NATSConnection.Options,
    _ events: ConnectionEvents
  ) async throws(NATSError) -> ClientConnection {
    var options = options
    while case .renewed(let renew) = options.credentials {
      do {
        options.credentials = try await renew()
      } catch {
        throw NATSError(.notAuthorized, "The credentials cannot be renewed: \(error)")
      }
    }
    let present = options
    let result: Result<ClientConnection, NATSError> = await withCheckedContinuation {
      continuation in
      DispatchQueue.global().async {
        do throws(NATSError) {
          let made = try ClientConnection(urls, present, events)
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
  func connectAgain() {
    guard beginConnecting() else { return }
    Task { [weak self, urls, options, events] in
      var pause = options.reconnectPause
      while true {
        do { try await Task.sleep(for: pause) } catch { return }
        pause = min(Self.longestPause, max(.milliseconds(10), pause * 2))
        guard let self, !self.isClosed else { return }
        do throws(NATSError) {
          let made = try await Self.connect(urls, options, events)
          if self.adopt(made) { return }
        } catch {
          events.failed(error.detail, isOfCredentials: error.code == .notAuthorized)
        }
      }
    }
  }
}
