import CairnControl

/// The routes of a home: the operations on the home itself, and those of each container. It only
/// passes requests on.
struct HomeRoutes: ControlResponder {
  /// The routes of one container.
  struct Part: ControlResponder {
    var name: String
    var id: String
    /// The operations on the container.
    var routes: ControlRoutes
    /// The things in it; nil if it isn't open.
    var contents: ContainerContents?
    /// The operations on the home.
    fileprivate var home = ControlRoutes()
    /// A Boolean value that indicates whether answers have the container's name.
    fileprivate var isNamed = false

    init(name: String, id: String, routes: ControlRoutes, contents: ContainerContents?) {
      (self.name, self.id, self.routes, self.contents) = (name, id, routes, contents)
    }

    func work(for operation: String) -> ControlWork? {
      routes.work(for: operation) ?? home.work(for: operation)
    }

    func respond(to operation: String, body: [UInt8], stream: ResponseStream) {
      guard routes.work(for: operation) != nil else {
        return home.respond(to: operation, body: body, stream: stream)
      }
      if isNamed { stream.name(name) }
      routes.respond(to: operation, body: body, stream: stream)
    }

    func document(at path: String) -> (@Sendable (ResponseStream) -> Void)? {
      routes.document(at: path)
    }
  }

  /// The operations on the home.
  var home: ControlRoutes
  private var parts: [Part]
  private let choice: ContainerChoice

  init(home: ControlRoutes, parts: [Part]) {
    precondition(!parts.isEmpty, "a home without a container")
    self.home = home
    self.parts = parts
    choice = ContainerChoice(
      candidates: parts.map { .init(name: $0.name, contents: $0.contents) })
  }

  /// Returns the routes of these operations only.
  func only(_ names: Set<String>) -> HomeRoutes {
    var kept = self
    kept.home = home.only(names)
    for index in kept.parts.indices { kept.parts[index].routes = parts[index].routes.only(names) }
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
    home.work(for: operation) ?? parts[0].routes.work(for: operation)
  }

  func document(at path: String) -> (@Sendable (ResponseStream) -> Void)? {
    parts[0].document(at: path)
  }

  func respond(to operation: String, body: [UInt8], stream: ResponseStream) {
    guard home.work(for: operation) == nil else {
      return home.respond(to: operation, body: body, stream: stream)
    }
    do throws(ControlError) {
      let index = parts.count == 1 ? 0 : try choice.index(for: operation, body)
      part(at: index).respond(to: operation, body: body, stream: stream)
    } catch { stream.fail(error) }
  }
}
