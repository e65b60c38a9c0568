enum PlaceholderCairnPlanTests {}
