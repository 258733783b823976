"""The page Lesson: fifty minutes in seven steps, from the empty matrix to when to trust what fills
it."""
