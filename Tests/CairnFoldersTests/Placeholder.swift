enum PlaceholderCairnFoldersTests {}
