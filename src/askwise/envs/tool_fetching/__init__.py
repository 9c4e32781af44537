"""Tool fetching as Gymnasium and PettingZoo environments; `askwise.envs` registers them and offers them by name."""
