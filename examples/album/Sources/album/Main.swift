// A photo album that several people share in parts. README.md has a story to type.
import CairnCloud
import Foundation

@main struct Main {
  static let usage = """
    album add FILE TITLE [TAG…]      make a post with a picture
    album picture FILE TITLE         add a picture to a post
    album tag TAG TITLE…             add a tag to posts
    album posts                      print the posts, with their share and tags
    album share NAME TITLE…          share posts as NAME, or add them to the share of that name
    album invite NAME HANDLE [view]  let somebody see the share, and change it unless you say view
    album take TITLE…                take posts out of your shares
    album join                       accept the invitations of others
    album wall DIRECTORY             write a page with all pictures

    ALBUM_CLOUD is a directory that all people can reach, ALBUM_NAME your short name there. The
    shell command ALBUM_THUMBNAIL makes a small picture $2 of the picture $1.
    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as CloudError where error.remedy == .askOwner {
      stop("\(error.message): you can only view this share. Ask its owner.")
    } catch let error as CloudError {
      stop("\(error.message) (\(error.code.rawValue))")
    } catch {
      stop("\(error)")
    }
  }

  static func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data("album: \(message)\n".utf8))
    exit(1)
  }

  static func run(_ words: [String]) async throws {
    let variables = ProcessInfo.processInfo.environment
    guard let cloud = variables["ALBUM_CLOUD"], let name = variables["ALBUM_NAME"],
      let command = words.first
    else { return print(usage) }
    let home = variables["ALBUM_HOME"] ?? NSHomeDirectory() + "/.album"
    let album = try await Album(
      CloudContainer.open(.directory(cloud), as: .person(name, home: home)))
    let rest = Array(words.dropFirst())
    switch (command, rest.count) {
    case ("add", 2...): try await album.add(rest[0], title: rest[1], tags: Array(rest[2...]))
    case ("picture", 2): try await album.addPicture(rest[0], to: rest[1])
    case ("tag", 2...): try await album.tag(Array(rest[1...]), rest[0])
    case ("posts", 0): for line in try await album.lines() { print(line) }
    case ("share", 2...): try await album.share(Array(rest[1...]), as: rest[0])
    case ("invite", 2...3):
      try await album.invite(rest[1], to: rest[0], rest.last == "view" ? .readOnly : .readWrite)
    case ("take", 1...): try await album.takeOut(rest)
    case ("join", 0): for title in try await album.join() { print("You see “\(title)” now.") }
    case ("wall", 1): try await album.writeWall(to: rest[0])
    default: print(usage)
    }
  }
}
