"""Tests that no unit test can replace: real power cuts, real programs."""
