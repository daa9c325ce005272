"""Values: frozen, keyword-only, standard library only. One noun a file."""
