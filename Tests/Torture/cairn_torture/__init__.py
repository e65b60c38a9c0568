"""What the programs have to stand that no unit test can give them: real cuts, real programs."""
