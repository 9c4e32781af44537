"""The studio: a web server on which people play, with `askwise[studio]` installed.

One *round* is one episode with a person in it. From the ground up: `rounds/` (a round, and what each role may see of
it), `round_service.py` and `pool.py` (worker processes in which methods decide), `store.py` (every event on disk before
it is acknowledged), `security/` (who may ask for what), `study/` (studies with people), `room.py` (one round and its
tab), `app.py` and `taking.py` (addresses), `static/` (what browsers run), `serving.py` (the server itself).
"""
