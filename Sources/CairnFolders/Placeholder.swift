enum PlaceholderCairnFolders {}
