"""What a visitor brought: its bytes, name, plan, table and digest, and the box that takes it."""
