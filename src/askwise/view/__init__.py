"""Scenes of problems and episodes, drawn as text, pictures, animations and HTML pages."""
