import CairnControl

/// The routes of a home: the operations on the home itself, and those of each container. It only
/// passes requests on.
struct HomeRoutes: ControlResponder {
  /// A container at work.
  struct Open {
    /// The operations on the container.
    var routes: ControlRoutes
    /// The things in it.
    var contents: ContainerContents
    /// Returns its state.
    var status: @Sendable () throws -> Control.StatusReply
  }

  /// The routes of one container.
  struct Part: ControlResponder {
    var name: String
    var id: String
    /// Routes with the names of all operations of a container.
    var names: ControlRoutes
    /// Returns the container as it is now; an error while it isn't open.
    var current: @Sendable () -> Result<Open, ControlError>
    /// The operations on the home.
    fileprivate var home = ControlRoutes()
    /// A Boolean value that indicates whether answers have the container's name.
    fileprivate var isNamed = false

    init(
      name: String, id: String, names: ControlRoutes,
      current: @escaping @Sendable () -> Result<Open, ControlError>
    ) {
      (self.name, self.id, self.names, self.current) = (name, id, names, current)
    }

    /// The container as it is now; nil while it isn't open.
    var open: Open? {
      switch current() {
      case .success(let open): open
      case .failure: nil
      }
    }

    func work(for operation: String) -> ControlWork? {
      names.work(for: operation) ?? home.work(for: operation)
    }

    func respond(to operation: String, body: [UInt8], stream: ResponseStream) {
      guard names.work(for: operation) != nil else {
        return home.respond(to: operation, body: body, stream: stream)
      }
      if isNamed { stream.name(name) }
      switch current() {
      case .success(let open): open.routes.respond(to: operation, body: body, stream: stream)
      case .failure(let error): stream.fail(error)
      }
    }

    func document(at path: String) -> (@Sendable (ResponseStream) -> Void)? {
      open?.routes.document(at: path)
    }
  }

  /// The operations on the home.
  var home: ControlRoutes
  private var parts: [Part]
  private let events: EventLog

  init(home: ControlRoutes, parts: [Part], events: EventLog) {
    precondition(!parts.isEmpty, "a home without a container")
    (self.home, self.parts, self.events) = (home, parts, events)
  }

  /// Returns the routes of these operations only.
  func only(_ names: Set<String>) -> HomeRoutes {
    var kept = self
    kept.home = home.only(names)
    for index in kept.parts.indices { kept.parts[index].names = parts[index].names.only(names) }
    return kept
  }

  private func part(at index: Int) -> Part {
    var part = parts[index]
    part.home = home
    part.isNamed = parts.count > 1
    return part
  }

  func part(named name: String) -> (any ControlResponder)? {
    let index =
      parts.firstIndex { $0.name == name } ?? parts.firstIndex { !$0.id.isEmpty && $0.id == name }
    return index.map { part(at: $0) }
  }

  func work(for operation: String) -> ControlWork? {
    home.work(for: operation) ?? parts[0].work(for: operation)
  }

  func document(at path: String) -> (@Sendable (ResponseStream) -> Void)? {
    parts.lazy.compactMap(\.open).first?.routes.document(at: path)
  }

  func respond(to operation: String, body: [UInt8], stream: ResponseStream) {
    guard home.work(for: operation) == nil else {
      return home.respond(to: operation, body: body, stream: stream)
    }
    guard parts.count > 1 else {
      return part(at: 0).respond(to: operation, body: body, stream: stream)
    }
    let watch = HomeStatusWatch(parts: parts, events: events)
    if work(for: operation) != nil, watch.isMeant(operation, body) { return watch.respond(stream) }
    let choice = ContainerChoice(
      candidates: parts.map { .init(name: $0.name, contents: $0.open?.contents) })
    do throws(ControlError) {
      let index = try choice.index(for: operation, body)
      part(at: index).respond(to: operation, body: body, stream: stream)
    } catch { stream.fail(error) }
  }
}
