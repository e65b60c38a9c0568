import CairnControl
import NIOHTTP1

/// The closures of the operations: decodes the request, calls the closure, and encodes its result
/// or error. Like the closures, it has no access to the socket.
public struct ControlRoutes: ControlResponder {
  private struct Route: Sendable {
    var work: ControlWork
    var answer: @Sendable ([UInt8], ResponseStream) -> Void
  }

  private var routes: [String: Route] = [:]
  private var documents: [String: @Sendable (ResponseStream) -> Void] = [:]
  /// Called after each answer, on its thread.
  var afterwards: (@Sendable () -> Void)?

  /// Creates routes without operations.
  public init() {}

  /// Answers `Operation` with `body`, which runs on a thread of its own and may block. A
  /// `ControlError` goes to the client unchanged; another error as `internalError`.
  public mutating func on<Operation: ControlOperation>(
    _ operation: Operation.Type,
    _ body: @escaping @Sendable (Operation, ResponseStream) throws -> Operation.Reply
  ) {
    precondition(routes[Operation.name] == nil, "\(Operation.name) is answered twice.")
    routes[Operation.name] = Route(work: Operation.mayWait ? .waiting : .short) { bytes, stream in
      let request: Operation
      do {
        request = try ControlJSON.decode(
          Operation.self, from: bytes.isEmpty ? [0x7B, 0x7D] : bytes)
      } catch let error as ControlError {
        stream.fail(error)
        return
      } catch {
        stream.fail(
          ControlError(
            .invalidArguments,
            "The request \(Operation.name) can't be read: " + ControlJSON.explain(error),
            remedy: "See that client and daemon are of the same version."))
        return
      }
      do {
        stream.finish(try body(request, stream))
      } catch let error as ControlError {
        stream.fail(error)
      } catch {
        stream.fail(
          ControlError(
            .internalError, "The daemon failed at \(Operation.name): \(error)",
            remedy: "See the log of the daemon; `cairn status` shows whether it still works."))
      }
    }
  }

  /// Answers a GET of this path with the result of `body`, of that media type.
  mutating func document(
    _ path: String, type: String, _ body: @escaping @Sendable () throws -> [UInt8]
  ) {
    documents[path] = { stream in
      do { stream.finish(try body(), type: type) } catch {
        stream.fail(Failures.control(error), status: .internalServerError)
      }
    }
  }

  /// Answers every operation but these with an error, without a call of its closure.
  mutating func refuse(except kept: Set<String>, with error: ControlError) {
    for (name, route) in routes where !kept.contains(name) {
      routes[name] = Route(work: route.work) { _, stream in stream.fail(error) }
    }
  }

  /// Removes the operations with these names, as if they did not exist.
  mutating func drop(_ isDropped: (String) -> Bool) {
    routes = routes.filter { !isDropped($0.key) }
  }

  /// The names of all operations.
  public var operations: [String] { routes.keys.sorted() }

  /// Returns the kind of work; nil for an unknown name.
  public func work(for operation: String) -> ControlWork? {
    routes[operation]?.work
  }

  /// Returns the function of `document`.
  public func document(at path: String) -> (@Sendable (ResponseStream) -> Void)? {
    guard let document = documents[path] else { return nil }
    return { [afterwards] stream in
      document(stream)
      afterwards?()
    }
  }

  /// Calls the closure of that operation.
  public func respond(to operation: String, body: [UInt8], stream: ResponseStream) {
    guard let route = routes[operation] else {
      stream.fail(
        ControlError(.invalidArguments, "The daemon knows no operation called \(operation)."))
      return
    }
    route.answer(body, stream)
    afterwards?()
  }
}
