import CairnControl
import CairnFolders

extension Daemon {
  /// The answer, with what people should know who share these paths.
  func warned(
    _ reply: Control.ShareReply, of paths: [Control.Path]
  ) throws -> Control.ShareReply {
    var reply = reply
    for path in paths where !isFile(path) {
      reply.warnings += try OutwardLinks.find(in: path.bytes).map { link in
        let notice = OutwardLinks.notice(link)
        return Control.Problem(
          path: Control.Path(path.bytes + [UInt8(ascii: "/")] + link), code: .invalidArguments,
          message: Failures.sentence(notice.message), remedy: Failures.sentence(notice.remedy))
      }
    }
    return reply
  }
}
