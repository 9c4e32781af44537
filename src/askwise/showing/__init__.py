"""Everything a person looks at in tool fetching: text, pictures, animations, accounts, a page.

All of it draws a `Scene`, one moment of an episode, and none of it changes anything.
"""

from askwise.showing.scene import Scene, scene_at, scenes, start_scene

__all__ = ["Scene", "scene_at", "scenes", "start_scene"]
