"""What there is to find: events are filed into topics. Topics are for browsing, never evidence."""
