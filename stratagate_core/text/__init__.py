"""Pure functions over text: normal forms, tokens, lengths, languages, secrets."""
