"""The commands of the arena, their options, and what they show on a terminal."""
