"""One script per audience: a teacher, somebody with a CSV file, a researcher who adds a method."""
