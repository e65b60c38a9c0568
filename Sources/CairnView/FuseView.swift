public import CairnControl
import CairnFuse
import Glibc

/// A view of a zone at a path of the file system, until it is unmounted.
public struct FuseView {
  private let files: ViewFileSystem
  private let source: String
  private let folder: String
  private let path: Control.Path

  /// The number of threads that answer the kernel, and so of slow reads at the same time.
  private static let threads: CInt = 8

  /// The reason why this program can't show views; nil if it can.
  public static var missing: String? {
    cairn_fuse_missing().map { String(cString: $0) }
  }

  /// Creates a view.
  /// - Parameters:
  ///   - view: The answer of `viewOpen`.
  ///   - path: The absolute path of the directory that becomes the view.
  ///   - client: The client of the daemon.
  ///   - folder: The name of the view's folder among the caches of the home: small letters, digits,
  ///     and dashes.
  ///   - limit: The limit of the cache in bytes.
  ///   - report: A function that gets failures.
  /// - Throws: `ControlError` if the folder can't be made, or if another process uses it.
  public init(
    of view: Control.ViewReply, at path: Control.Path, _ client: ControlClient, folder: String,
    limit: Int64, report: @escaping @Sendable (ControlError) -> Void
  ) throws(ControlError) {
    let folder = try ViewFolder.claim(folder, in: client.home)
    let daemon = DaemonSource(client: client)
    let root = try daemon.find(zone: view.zone, record: view.record, name: nil)
    source = "cairn:\(view.zone.prefix(12))"
    files = ViewFileSystem(
      root: root, isEditable: view.editable, source: daemon,
      cache: ViewCache(folder: folder, limit: limit, source: daemon),
      rescue: "\(client.home.rescue)/\(RescuePlace.name(view.title, zone: view.zone))-view",
      at: path, report: report)
    (self.folder, self.path) = (folder, path)
  }

  /// Shows the view, and blocks until it is unmounted or a signal ends the process.
  /// - Parameter ready: A function that is called once the view is shown.
  /// - Returns: false if it can't be shown. libfuse has written the reason to standard error.
  public func run(ready: @escaping () -> Void) -> Bool {
    let context = FuseContext(files, ready)
    var events = callbacks()
    let path = path.bytes.map { CChar(bitPattern: $0) } + [0]
    // A killed process may have left drafts.
    files.end(isOver: false)
    defer { files.end() }
    return withExtendedLifetime(context) {
      cairn_fuse_run(
        path, source, folder, Self.threads, files.isEditable ? 1 : 0, &events,
        Unmanaged.passUnretained(context).toOpaque()
      ) { context in context.map { FuseContext.at($0).ready() } } == 0
    }
  }
}

/// The receiver of the callbacks.
private final class FuseContext {
  let files: ViewFileSystem
  let ready: () -> Void

  init(_ files: ViewFileSystem, _ ready: @escaping () -> Void) {
    (self.files, self.ready) = (files, ready)
  }

  static func at(_ context: UnsafeMutableRawPointer) -> FuseContext {
    Unmanaged<FuseContext>.fromOpaque(context).takeUnretainedValue()
  }
}

/// Answers a request: returns 0, or the errno that `body` throws.
private func answer(
  _ context: UnsafeMutableRawPointer, _ body: (ViewFileSystem) throws -> Void
) -> CInt {
  do {
    try body(FuseContext.at(context).files)
    return 0
  } catch let error as SystemError {
    return error.number
  } catch {
    return EIO
  }
}

private func bytes(_ name: UnsafePointer<CChar>) -> [UInt8] {
  Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
}

/// Copies the target of a symlink, with a NUL at its end.
private func copyTarget(
  _ context: UnsafeMutableRawPointer, _ node: UInt64, _ buffer: UnsafeMutablePointer<CChar>,
  _ room: Int
) -> CInt {
  answer(context) { files in
    let target = try files.target(of: node)
    guard target.count < room else { throw SystemError(ENAMETOOLONG) }
    UnsafeMutableRawPointer(buffer).copyMemory(from: target + [0], byteCount: target.count + 1)
  }
}

/// Adds the entries of a directory to a page.
private func list(
  _ context: UnsafeMutableRawPointer, _ handle: UInt64, _ offset: UInt64, _ remembers: CInt,
  _ page: OpaquePointer
) -> CInt {
  answer(context) { files in
    try files.list(handle, from: Int(clamping: offset), remembers: remembers != 0) {
      name, entry, next in
      var entry = entry
      let name = name.map { CChar(bitPattern: $0) } + [0]
      return cairn_fuse_add(page, name, &entry, UInt64(next)) != 0
    }
  }
}

/// The callbacks of a view. Their context is a `FuseContext`.
private func callbacks() -> cairn_fuse_events {
  cairn_fuse_events(
    lookup: { context, parent, name, entry in
      answer(context) { entry.pointee = try $0.lookup(bytes(name), in: parent) }
    },
    forget: { context, node, count in FuseContext.at(context).files.forget(node, count) },
    attributes: { context, node, entry in
      answer(context) { entry.pointee = try $0.attributes(of: node) }
    },
    target: copyTarget,
    open: { context, node, flags, handle in
      answer(context) { handle.pointee = try $0.open(node, flags: flags) }
    },
    read: { context, handle, offset, count, descriptor in
      answer(context) { files in
        let start = Int64(clamping: offset)
        descriptor.pointee = try files.read(handle, start..<(start + Int64(count)))
      }
    },
    close: { context, handle in FuseContext.at(context).files.close(handle) },
    open_directory: { context, node, handle in
      answer(context) { handle.pointee = try $0.openDirectory(node) }
    },
    list: list,
    close_directory: { context, handle in FuseContext.at(context).files.closeDirectory(handle) },
    change: { context, node, change, entry in
      answer(context) { entry.pointee = try $0.change(node, change.pointee) }
    },
    make: { context, parent, name, target, entry in
      answer(context) {
        entry.pointee = try $0.make(bytes(name), in: parent, target: target.map { bytes($0) })
      }
    },
    remove: { context, parent, name, isDirectory in
      answer(context) { try $0.remove(bytes(name), in: parent, isDirectory: isDirectory != 0) }
    },
    rename: { context, parent, name, to, newName, replaces in
      answer(context) {
        try $0.rename(bytes(name), in: parent, to: bytes(newName), in: to, replaces: replaces != 0)
      }
    },
    create: { context, parent, name, mode, entry, handle in
      answer(context) {
        (entry.pointee, handle.pointee) = try $0.create(bytes(name), in: parent, mode: mode)
      }
    },
    write: { context, handle, offset, bytes, count in
      answer(context) {
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        try $0.write(handle, at: Int64(clamping: offset), bytes)
      }
    },
    flush: { context, handle in answer(context) { try $0.flush(handle) } })
}
