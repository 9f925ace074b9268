public import EventBus

/// A connection to one of several servers, which is made again when it breaks.
///
/// ```swift
/// import EventBusNATS
///
/// func connect() async throws -> NATSConnection {
///   try await NATSConnection("nats://10.0.0.1:4222", "nats://10.0.0.2:4222")
/// }
/// ```
///
/// The first server announces the addresses of further servers of its cluster. If a server refuses the credentials of a
/// connection that broke, as after a change of its configuration, the attempts go on with growing pauses of up to five
/// seconds. The connection closes when it is released; ``drain(within:)`` closes it after all sent messages have arrived.
///
/// With ``Configuration/waitsForServer``, a program may start before its server: the connection is there at once, and
/// bridges over it keep what is posted as without a connection.
///
/// Users, passwords and tokens in addresses appear in no state, error or report.
///
/// ## Thread safety
///
/// Every member may be used on any thread. Observers of ``state`` are called on a queue of the connection.
public final class NATSConnection: Sendable {
  /// The state of a connection.
  public enum State: Sendable, Equatable {
    /// The first connection is being made.
    case connecting
    /// No server was there at the addresses: attempts to make the first connection go on since a time.
    ///
    /// Only with ``NATSConnection/Configuration/waitsForServer``.
    case waiting(for: String, since: ContinuousClock.Instant)
    /// There is a connection to the server of an address.
    case connected(to: String)
    /// The connection broke at a time, and is being made again.
    case reconnecting(since: ContinuousClock.Instant)
    /// The connection was closed for good.
    case closed
  }

  let link: NATSLink

  /// The connection as a link, for messages other than those of a bridge.
  package var rawLink: any Link { link }

  /// Connects to the first server that accepts; returns at once when the task is cancelled.
  ///
  /// - Parameters:
  ///   - urls: The addresses, `nats://host:port` or `tls://host:port`; one is chosen at random.
  ///   - configuration: Encryption, credentials and times.
  /// - Throws: ``NATSError`` with the code `notConnected`, unless the server is waited for; `notAuthorized`,
  ///   `notSecure`, `invalidOption` or `cancelled`.
  public convenience init(_ urls: String..., configuration: Configuration = Configuration())
    async throws(NATSError)
  {
    try await self.init(urls: urls, configuration: configuration)
  }

  /// Connects to the first server that accepts; returns at once when the task is cancelled.
  ///
  /// - Parameters:
  ///   - urls: The addresses, `nats://host:port` or `tls://host:port`; one is chosen at random.
  ///   - configuration: Encryption, credentials and times.
  /// - Throws: ``NATSError`` with the code `notConnected`, unless the server is waited for; `notAuthorized`,
  ///   `notSecure`, `invalidOption` or `cancelled`.
  public init(urls: [String], configuration: Configuration = Configuration())
    async throws(NATSError)
  {
    link = try await NATSLink(urls: urls, options: configuration)
  }

  deinit { link.close() }

  /// The state of the connection.
  public var state: SharedObserved<State>.ReadOnly { link.state.readOnly }

  /// The number of reconnections.
  public var reconnectCount: Int { link.reconnectCount }

  /// Closes the connection after all sent messages have reached the server, or after a time.
  ///
  /// - Parameter limit: The longest wait.
  public func drain(within limit: Duration = .seconds(5)) async {
    try? await link.flush(within: limit)  // Reason: it closes in any case.
    link.close()
  }

  /// Closes the connection at once.
  public func close() { link.close() }
}

extension NATSConnection {
  /// The configuration of a connection.
  public struct Configuration: Sendable {
    /// The credentials of a client.
    public enum Credentials: Sendable {
      /// A user and a password.
      case user(String, password: String)
      /// A token.
      case token(String)
      /// A file with a user's JWT and seed, as `nsc` writes it.
      case file(String)
      /// A public NKey, and a file with its seed.
      case nkey(String, seedFile: String)
      /// Credentials that expire or change: the closure is called for the first connection, and whenever the server has
      /// refused the last ones.
      ///
      /// If it throws, it is called again after a pause. It must not return renewed credentials. Its task is cancelled
      /// when the connection closes.
      case renewed(by: @Sendable () async throws -> Credentials)
    }

    /// Encryption, with the certificates that identify server and client.
    public struct TLS: Sendable {
      /// The file of the authorities that are trusted, in PEM; `nil` means those of the system.
      public var authorities: String?
      /// The file of the client's certificate, in PEM.
      public var certificate: String?
      /// The file of the client's key, in PEM.
      public var key: String?
      /// The name or address that the server's certificate must have; `nil` means that of the URL.
      public var hostname: String?

      /// Creates the settings.
      ///
      /// - Parameters:
      ///   - authorities: The file of the trusted authorities.
      ///   - certificate: The file of the client's certificate.
      ///   - key: The file of the client's key.
      ///   - hostname: The name that the server's certificate must have.
      public init(
        authorities: String? = nil,
        certificate: String? = nil,
        key: String? = nil,
        hostname: String? = nil
      ) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
        self.hostname = hostname
      }
    }

    /// The encryption; `nil` for none, unless an address begins with `tls://`.
    public var tls: TLS?
    /// The credentials.
    public var credentials: Credentials?
    /// The name of the connection in the server's monitoring.
    public var name: String
    /// The longest time of one attempt to connect.
    public var connectTimeout: Duration
    /// The pause between attempts to connect again.
    public var reconnectPause: Duration
    /// The time between two checks of an idle connection; the second one without an answer ends it.
    public var pingInterval: Duration
    /// The time after which a blocked write to the server counts as a broken connection.
    public var writeDeadline: Duration
    /// Whether a first connection for which no server is there is waited for, instead of an error.
    ///
    /// After one attempt the initializer returns, in the state ``NATSConnection/State/waiting(for:since:)``. Attempts go
    /// on with growing pauses of up to five seconds until a server is there or the connection closes. Meanwhile bridges
    /// keep events within the limits of a broken connection, and report as `disconnected` what is waited for.
    /// ``EventBridge/waitUntilPrepared(within:)`` waits as well.
    ///
    /// A server that is there, but refuses the first attempt, is an error. One that refuses a later attempt is asked
    /// again, as after a broken connection.
    public var waitsForServer: Bool
    /// The JetStream domain of the server that stores the streams, as on the other side of a leaf node; `nil` for that
    /// of the connected server.
    public var domain: String?
    /// The first part of the subjects of requests about streams; `nil` means `$JS.API`, or that of the ``domain``.
    ///
    /// An account that imports the streams of another one may have them under a prefix. Set this or the domain.
    public var apiPrefix: String?
    /// The first part of the subjects of answers to this connection.
    ///
    /// With a separate one for each user, no other user needs the permission to listen to it.
    public var inboxPrefix: String

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - tls: The encryption.
    ///   - credentials: The credentials.
    ///   - name: The name of the connection.
    ///   - connectTimeout: The longest time of one attempt to connect.
    ///   - reconnectPause: The pause between attempts to connect again.
    ///   - pingInterval: The time between two checks of an idle connection.
    ///   - writeDeadline: The longest time of a blocked write.
    ///   - waitsForServer: Whether a first connection for which no server is there is waited for.
    ///   - domain: The JetStream domain of the server that stores the streams.
    ///   - apiPrefix: The first part of the subjects of requests about streams.
    ///   - inboxPrefix: The first part of the subjects of answers.
    public init(
      tls: TLS? = nil,
      credentials: Credentials? = nil,
      name: String = "EventBus",
      connectTimeout: Duration = .seconds(2),
      reconnectPause: Duration = .milliseconds(100),
      pingInterval: Duration = .seconds(1),
      writeDeadline: Duration = .seconds(2),
      waitsForServer: Bool = false,
      domain: String? = nil,
      apiPrefix: String? = nil,
      inboxPrefix: String = "_INBOX"
    ) {
      self.tls = tls
      self.credentials = credentials
      self.name = name
      self.connectTimeout = connectTimeout
      self.reconnectPause = reconnectPause
      self.pingInterval = pingInterval
      self.writeDeadline = writeDeadline
      self.waitsForServer = waitsForServer
      self.domain = domain
      self.apiPrefix = apiPrefix
      self.inboxPrefix = inboxPrefix
    }

    /// The effective first part of the subjects of requests about streams.
    var api: String { apiPrefix ?? domain.map { "$JS.\($0).API" } ?? "$JS.API" }
  }
}

extension NATSConnection.Configuration.Credentials: CustomStringConvertible,
  CustomDebugStringConvertible,
  CustomReflectable
{
  /// The kind of the credentials, and the user or the file; neither a password nor a token.
  public var description: String {
    switch self {
    case .user(let user, _): "the user \(user)"
    case .token: "a token"
    case .file(let file): "the file \(file)"
    case .nkey(let key, let file): "the NKey \(key) with the file \(file)"
    case .renewed: "renewed credentials"
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows no secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
