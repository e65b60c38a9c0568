enum PlaceholderCairnControlTests {}
