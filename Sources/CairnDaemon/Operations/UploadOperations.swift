import CairnControl
import CairnFolders
import CairnReplica
import CairnZone
import FoundationEssentials

/// The operation that puts a new file into a mirrored folder, sent in pieces.
struct UploadOperations: Operations {
  let targets: TargetResolver

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Upload.self) { request, _ in try take(request) }
  }

  private func take(_ request: Control.Upload) throws -> Control.UploadReply {
    let (mount, _, _) = try targets.mounted(request.path, for: Control.Upload.self)
    let relative = WatchRoots.relative(request.path.bytes, to: mount.folder)
    let names = relative.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard !mount.isFile, let name = names.last, relative.last != UInt8(ascii: "/"),
      names.first != FileName.reserved,
      FileName(name) != nil, !names.contains(Array("..".utf8)), !names.contains(Array(".".utf8))
    else {
      throw ControlError(
        .invalidArguments, "\(request.path) can't be the name of a file in a mirrored folder.",
        remedy: "Choose another name or folder.", path: request.path)
    }
    guard request.id.utf8.count == 32, request.id.utf8.allSatisfy({ $0.isHexadecimal }),
      let piece = Data(base64Encoded: request.piece), request.offset >= 0
    else {
      throw ControlError(
        .invalidArguments, "The piece of the upload can't be understood.", remedy: "Try again.")
    }
    guard try mount.zone.read({ $0.rights.contains(.write) }) else {
      throw ControlError(
        .permissionFailure, "You can only view this folder, so you can't add a file to it.",
        remedy: "Ask its owner for the permission to edit.", path: request.path)
    }
    let incoming = IncomingFile(
      in: mount.folder, id: "upload-\(request.id)", path: request.path)
    let size = try incoming.append(piece, at: request.offset)
    guard request.isLast else { return Control.UploadReply(size: size) }
    let path = mount.absolute(try incoming.place(at: names, size: size))
    return Control.UploadReply(size: size, path: path)
  }
}

extension UInt8 {
  fileprivate var isHexadecimal: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
  }
}
