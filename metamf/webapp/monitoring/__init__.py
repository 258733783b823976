"""What a server's keeper sees: figures for Prometheus, and events in the log; nothing that visitors brought."""
