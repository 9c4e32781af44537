"""Drawings of problems and episodes: as text in a terminal, pictures, animations and HTML pages."""
