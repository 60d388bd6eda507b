"""The commands of the arena, their options, and what they show in the terminal."""
