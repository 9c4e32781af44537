"""Everything a person looks at: text, pictures, animations, accounts, a page.

All of it draws a `Scene`, one moment of an episode, and none of it changes anything or knows a domain.
"""

from askwise.showing.episodes import scene_at, scene_of, scenes, start_scene
from askwise.showing.scene import Scene

__all__ = ["Scene", "scene_at", "scene_of", "scenes", "start_scene"]
