"""Changing a place so that goals become plain soonest: which cells, edges or actions to forbid."""
