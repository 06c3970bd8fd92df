import Reactor

/// Does `body`, which must heed cancellation, and fails by name when it takes longer than `limit`: nothing in a test hangs.
public func within<Value: Sendable>(
  _ limit: Duration, _ what: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await SystemTimekeeper().sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    guard let first = try await group.next(), let value = first else {
      throw ToolRun.Failure(description: "Waited in vain for \(what), \(limit).")
    }
    return value
  }
}

/// The same with 30 s.
public func within<Value: Sendable>(
  _ what: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await within(.seconds(30), what, body)
}
