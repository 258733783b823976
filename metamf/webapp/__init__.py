"""What the pages are made of: widgets and what stands around figures. What is computed stands in the rooms below."""
