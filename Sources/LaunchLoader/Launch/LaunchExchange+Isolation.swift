/// Closures that take the values of up to four keys.
extension LaunchExchange {
  /// Stores a closure that takes no value.
  static func taking<Result: Sendable>(
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    let bare = withoutIsolation(call)
    return LaunchExchange(
      isolation: call.isolation,
      body: .synchronous { options, _ in
        box(try bare(options))
      }
    )
  }

  /// Stores an asynchronous closure that takes no value.
  static func taking<Result: Sendable>(
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    LaunchExchange(
      isolation: call.isolation,
      body: .asynchronous { options, _ in
        box(try await call(options))
      }
    )
  }

  /// Stores a closure that takes one value.
  static func taking<A, Result: Sendable>(
    _ first: LaunchKey<A>,
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A) throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    let bare = withoutIsolation(call)
    return LaunchExchange(
      isolation: call.isolation,
      body: .synchronous { options, values in
        box(try bare(options, values.value(of: first)))
      }
    )
  }

  /// Stores an asynchronous closure that takes one value.
  static func taking<A, Result: Sendable>(
    _ first: LaunchKey<A>,
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A) async throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    LaunchExchange(
      isolation: call.isolation,
      body: .asynchronous { options, values in
        box(try await call(options, values.value(of: first)))
      }
    )
  }

  /// Stores a closure that takes two values.
  static func taking<A, B, Result: Sendable>(
    _ first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B) throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    let bare = withoutIsolation(call)
    return LaunchExchange(
      isolation: call.isolation,
      body: .synchronous { options, values in
        box(try bare(options, values.value(of: first), values.value(of: second)))
      }
    )
  }

  /// Stores an asynchronous closure that takes two values.
  static func taking<A, B, Result: Sendable>(
    _ first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B) async throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    LaunchExchange(
      isolation: call.isolation,
      body: .asynchronous { options, values in
        box(try await call(options, values.value(of: first), values.value(of: second)))
      }
    )
  }

  /// Stores a closure that takes three values.
  static func taking<A, B, C, Result: Sendable>(
    _ first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C) throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    let bare = withoutIsolation(call)
    return LaunchExchange(
      isolation: call.isolation,
      body: .synchronous { options, values in
        box(
          try bare(
            options,
            values.value(of: first),
            values.value(of: second),
            values.value(of: third)
          )
        )
      }
    )
  }

  /// Stores an asynchronous closure that takes three values.
  static func taking<A, B, C, Result: Sendable>(
    _ first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C) async throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    LaunchExchange(
      isolation: call.isolation,
      body: .asynchronous { options, values in
        box(
          try await call(
            options,
            values.value(of: first),
            values.value(of: second),
            values.value(of: third)
          )
        )
      }
    )
  }

  /// Stores a closure that takes four values.
  static func taking<A, B, C, D, Result: Sendable>(
    _ first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    _ fourth: LaunchKey<D>,
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C, D) throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    let bare = withoutIsolation(call)
    return LaunchExchange(
      isolation: call.isolation,
      body: .synchronous { options, values in
        box(
          try bare(
            options,
            values.value(of: first),
            values.value(of: second),
            values.value(of: third),
            values.value(of: fourth)
          )
        )
      }
    )
  }

  /// Stores an asynchronous closure that takes four values.
  static func taking<A, B, C, D, Result: Sendable>(
    _ first: LaunchKey<A>,
    _ second: LaunchKey<B>,
    _ third: LaunchKey<C>,
    _ fourth: LaunchKey<D>,
    _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C, D) async throws -> Result,
    _ box: @escaping @Sendable (Result) -> LaunchValue?
  ) -> LaunchExchange {
    LaunchExchange(
      isolation: call.isolation,
      body: .asynchronous { options, values in
        box(
          try await call(
            options,
            values.value(of: first),
            values.value(of: second),
            values.value(of: third),
            values.value(of: fourth)
          )
        )
      }
    )
  }
}

private func withoutIsolation<Result>(
  _ call: @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Result
) -> @Sendable (LaunchOptions) throws -> Result {
  let isolated = Isolated0(call: call)
  let bare = Bare0<Result>.self
  return unsafe unsafeBitCast(isolated, to: bare).call  // Reason: one layout.
}
private struct Isolated0<Result> {
  let call: @isolated(any) @Sendable (LaunchOptions) throws -> Result
}
private struct Bare0<Result> {
  let call: @Sendable (LaunchOptions) throws -> Result
}

private func withoutIsolation<A, Result>(
  _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A) throws -> Result
) -> @Sendable (LaunchOptions, A) throws -> Result {
  let isolated = Isolated1(call: call)
  let bare = Bare1<A, Result>.self
  return unsafe unsafeBitCast(isolated, to: bare).call  // Reason: one layout.
}
private struct Isolated1<A, Result> {
  let call: @isolated(any) @Sendable (LaunchOptions, A) throws -> Result
}
private struct Bare1<A, Result> {
  let call: @Sendable (LaunchOptions, A) throws -> Result
}

private func withoutIsolation<A, B, Result>(
  _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B) throws -> Result
) -> @Sendable (LaunchOptions, A, B) throws -> Result {
  let isolated = Isolated2(call: call)
  let bare = Bare2<A, B, Result>.self
  return unsafe unsafeBitCast(isolated, to: bare).call  // Reason: one layout.
}
private struct Isolated2<A, B, Result> {
  let call: @isolated(any) @Sendable (LaunchOptions, A, B) throws -> Result
}
private struct Bare2<A, B, Result> {
  let call: @Sendable (LaunchOptions, A, B) throws -> Result
}

private func withoutIsolation<A, B, C, Result>(
  _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C) throws -> Result
) -> @Sendable (LaunchOptions, A, B, C) throws -> Result {
  let isolated = Isolated3(call: call)
  let bare = Bare3<A, B, C, Result>.self
  return unsafe unsafeBitCast(isolated, to: bare).call  // Reason: one layout.
}
private struct Isolated3<A, B, C, Result> {
  let call: @isolated(any) @Sendable (LaunchOptions, A, B, C) throws -> Result
}
private struct Bare3<A, B, C, Result> {
  let call: @Sendable (LaunchOptions, A, B, C) throws -> Result
}

private func withoutIsolation<A, B, C, D, Result>(
  _ call: @escaping @isolated(any) @Sendable (LaunchOptions, A, B, C, D) throws -> Result
) -> @Sendable (LaunchOptions, A, B, C, D) throws -> Result {
  let isolated = Isolated4(call: call)
  let bare = Bare4<A, B, C, D, Result>.self
  return unsafe unsafeBitCast(isolated, to: bare).call  // Reason: one layout.
}
private struct Isolated4<A, B, C, D, Result> {
  let call: @isolated(any) @Sendable (LaunchOptions, A, B, C, D) throws -> Result
}
private struct Bare4<A, B, C, D, Result> {
  let call: @Sendable (LaunchOptions, A, B, C, D) throws -> Result
}
