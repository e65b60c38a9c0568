import CairnControl
import Testing

extension JSONStory {
  /// Plays a person with two containers in one home. The second one can't be opened.
  func useContainers() throws {
    let mia = try Person("mia", in: people.root, folder: "M")
    let other = Folder(people.root.path + "/other")
    for words in [[people.container.path], [other.path, "--as", "other"]] {
      let place = ["--name", "Mia", "--handle", "mia", "--container"] + words
      try mia.cairn(["init"] + place)
    }
    try mia.folder.make("")
    try ask(mia, "--container=default", "add", mia.folder.path)
    try mia.cairn("wait", "--timeout", "60")
    try ask(mia, "events")
    try mia.cairn("stop")
    try mia.home.write("[container]\n", to: "containers/other/cairn.conf")
    try ask(mia, "container", "list")
    try ask(mia, "container", "rename", "default", "home")
    try ask(mia, "container", "remove", "other")
    try ask(mia, "status")
    try mia.stopDaemon()
  }
}
