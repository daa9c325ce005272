"""Pure rules of tidying."""
