enum PlaceholderCairnCloudTests {}
