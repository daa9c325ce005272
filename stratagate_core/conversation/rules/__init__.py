"""Pure rules of conversation: capturing, sealing, rendering, decay, and views."""
