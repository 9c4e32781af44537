"""Single decisions whether to act or to ask, without a map and without time.

A decision problem has intents (possibilities, exactly one of which is true), actions with losses, and questions with
prices. `askwise.decide` says what to do first. `askwise.Session` continues as answers arrive.
"""
