import APIDescription
import CairnControl
import Foundation
import Testing

/// openapi.yaml describes the daemon, the commands and their answers. The end-to-end tests compare
/// real answers with it.
@Suite struct OpenAPITests {
  private let api: OpenAPI

  init() throws { api = try OpenAPI() }

  @Test func `the types and cairn-json(7) are generated from openapi.yaml`() throws {
    #expect(try OpenAPI.generate("--check").0 == 0)
  }

  @Test func `each command's answer is described, and no other answer is`() {
    let commands = Set(Commands.all.map { $0.joined(separator: " ") })
    for command in commands { #expect(api.answers[command] != nil, "\(command)") }
    let others: Set<String> = ["can modify", "history forget"]
    #expect(Set(api.answers.keys).subtracting(commands).subtracting(others).isEmpty)
  }

  @Test func `an answer has the names of its commands`() {
    var commands: [String: Set<String>] = [:]
    for (command, objects) in api.answers {
      for object in objects { commands[object, default: []].insert(command) }
    }
    for (object, commands) in commands {
      let text = api.schemas[object]?["description"]?.text ?? ""
      let named = Set(
        text.matches(of: /`([a-z][a-z -]*?)(?: --[a-z-]+)?`/).map { String($0.output.1) })
      // Very many commands change a share, so its description names two of them.
      #expect(
        object == "ShareReply" ? named.isSubset(of: commands) : named == commands,
        "\(object): \(named.sorted()) for \(commands.sorted())")
    }
  }

  @Test func `an optional member has its condition in its description`() {
    #expect(api.objects.count > 50)
    for (object, members) in api.objects {
      for (name, member) in members {
        let text = member["description"]?.text ?? ""
        let saysWhen = text.contains("Missing ") || text.contains("Only ")
        #expect(saysWhen == api.isOptional(name, in: object), "\(object).\(name): \(text)")
      }
    }
  }

  @Test func `a request may leave out what has a default`() throws {
    let list = try ControlJSON.decode(Control.List.self, from: Array(#"{"path":"/a"}"#.utf8))
    #expect(list.path == "/a" && !list.recursive && list.scope == nil)
    let full = try ControlJSON.decode(
      Control.List.self,
      from: try ControlJSON.encode(
        Control.List(path: "/a", recursive: true, scope: .shared)))
    #expect(full.recursive && full.scope == .shared)
    let link = #"{"share":{"id":"00"}}"#
    let invite = try ControlJSON.decode(Control.ShareInviteLink.self, from: Array(link.utf8))
    #expect(invite.permission == .readWrite)
    #expect(throws: DecodingError.self) {
      try ControlJSON.decode(Control.List.self, from: Array("{}".utf8))
    }
  }

  @Test func `null is the same as no member`() throws {
    let nothing = #"{"path":"/a","recursive":null,"scope":null}"#
    let list = try ControlJSON.decode(Control.List.self, from: Array(nothing.utf8))
    #expect(list.path == "/a" && !list.recursive && list.scope == nil)
    #expect(throws: DecodingError.self) {
      try ControlJSON.decode(Control.List.self, from: Array(#"{"path":null}"#.utf8))
    }
  }

  @Test(arguments: ["", "p^8", "./a", "~/a", "s3://a"])
  func `a request with a relative path is refused`(path: String) throws {
    for request in [
      #"{"path":"\#(path)"}"#, #"{"paths":["/a","\#(path)"]}"#, #"{"share":{"path":"\#(path)"}}"#,
    ] {
      let bytes = Array(request.utf8)
      let error = #expect(throws: ControlError.self) {
        if request.contains("paths") {
          _ = try ControlJSON.decode(Control.Stat.self, from: bytes)
        } else if request.contains("share") {
          _ = try ControlJSON.decode(Control.ShareShow.self, from: bytes)
        } else {
          _ = try ControlJSON.decode(Control.Add.self, from: bytes)
        }
      }
      #expect(error?.code == .invalidArguments && error?.message.contains("absolute") == true)
    }
    // A path in the public database isn't local.
    let other = #"{"path":"\#(path)"}"#
    let list = try ControlJSON.decode(Control.PublicList.self, from: Array(other.utf8))
    #expect(list.path.text == path)
  }

  @Test func `an answer that isn't described is found`() throws {
    func mistakes(_ json: String, _ names: [String]) throws -> [String] {
      var check = JSONCheck(api)
      check.take(
        try ControlJSON.decode(JSONValue.self, from: Array(json.utf8)), as: names, from: "it")
      return check.mistakes
    }
    #expect(try mistakes(#"{"pid":1,"version":"2"}"#, ["PingReply"]).isEmpty)
    #expect(try mistakes(#"{"pid":1,"version":"2"}"#, ["StopReply", "PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":1}"#, ["PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":1,"version":2}"#, ["PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":"1","version":"2"}"#, ["PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":1,"version":"2","more":1}"#, ["PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":1,"version":"2"}"#, []).isEmpty)
    #expect(try !mistakes(#"{"pid":1,"version":"2"}"#, ["NoSuchReply"]).isEmpty)
    #expect(try mistakes(#"{"pid":null}"#, ["StopReply"]).count == 1)
    #expect(try mistakes("{}", ["StopReply"]).isEmpty)
    let reason = #"{"verb":"read","allowed":true,"reason":"x"}"#
    #expect(try mistakes(#"{"path":"/a","permits":[\#(reason)]}"#, ["CanReply"]).isEmpty)
    #expect(try !mistakes(#"{"path":"/a","permits":\#(reason)}"#, ["CanReply"]).isEmpty)
    let other = reason.replacing("read", with: "fly")
    #expect(try mistakes(#"{"path":"/a","permits":[\#(other)]}"#, ["CanReply"]).count == 1)
    let name = #"{"base64":"/w==","text":"\\xFF"}"#
    #expect(try mistakes(#"{"path":\#(name),"permits":[]}"#, ["CanReply"]).isEmpty)
    let code = #"{"url":"u","port":1,"expires":"2026-11-21T14:03:00.123456789Z"}"#
    #expect(try mistakes(code, ["ConsoleReply"]).isEmpty)
    #expect(try !mistakes(code.replacing("T14", with: " 14"), ["ConsoleReply"]).isEmpty)
  }
}
