import CairnControl
import Testing

/// Codes, their exit statuses, and the lines that contain them.
@Suite struct ControlErrorTests {
  @Test func `every code has an exit status of its own that a shell can tell apart`() {
    let statuses = Control.ErrorCode.allCases.map(\.exitStatus)
    #expect(Set(statuses).count == statuses.count)
    // 0 is success, and 64 is a usage error. From 126 on the shell has meanings of its own.
    #expect(statuses.allSatisfy { (1...125).contains($0) && $0 != 64 })
  }

  @Test func `CloudKit's codes keep CloudKit's numbers`() {
    let numbers: [Control.ErrorCode: Int32] = [
      .internalError: 1, .permissionFailure: 10, .unknownItem: 11, .serverRecordChanged: 14,
      .changeTokenExpired: 21, .quotaExceeded: 25, .alreadyShared: 30, .assetNotAvailable: 35,
      .participantAlreadyInvited: 37,
    ]
    for (code, number) in numbers { #expect(code.exitStatus == number) }
    #expect(Control.ErrorCode.allCases.count { $0.exitStatus < 40 } == 36)
  }

  @Test func `an unknown code of a newer daemon is an internal error`() throws {
    let json = Array(#"{"code":"tomorrow","message":"m","remedy":"r"}"#.utf8)
    let error = try ControlJSON.decode(ControlError.self, from: json)
    #expect(error == ControlError(.internalError, "m", remedy: "r"))
  }

  @Test func `each kind of line has one member`() throws {
    typealias Line = Control.Line<Control.PingReply>
    let progress = Control.Progress(done: 1, total: nil, unit: "files", what: "Reading")
    let lines: [(Line, String)] = [
      (
        .update(.progress(progress)),
        #"{"progress":{"done":1,"unit":"files","what":"Reading"}}"#
      ),
      (.reply(Control.PingReply(pid: 1, version: "2")), #"{"reply":{"pid":1,"version":"2"}}"#),
      (
        .error(ControlError(.zoneBusy, "m", path: "/p")),
        #"{"error":{"code":"zoneBusy","message":"m","path":"/p","remedy":""}}"#
      ),
    ]
    for (line, json) in lines {
      let encoded = try ControlJSON.encode(line)
      #expect(String(decoding: encoded, as: UTF8.self) == json)
      #expect(try ControlJSON.encode(ControlJSON.decode(Line.self, from: encoded)) == encoded)
    }
  }

  @Test func `a message can't break out of its line`() {
    let error = ControlError(.internalError, "one\ntwo\u{1B}[K", remedy: "do")
    #expect(error.description == #"one\ntwo\x1B[K do [internalError]"#)
  }
}
