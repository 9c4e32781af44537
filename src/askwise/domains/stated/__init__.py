"""Problems stated plainly, as two models and shared goals: their files, traces and looks."""
