"""A class of visitors in real browsers, and what the server takes for it."""
