"""The view of a server's keeper: figures for Prometheus, and events in the log; nothing that visitors brought."""
