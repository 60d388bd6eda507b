"""How the evaluation learns: self_play makes games, piece_square fits the evaluation to them."""
