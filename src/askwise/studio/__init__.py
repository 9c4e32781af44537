"""The studio: a web server on which people play rounds with methods (needs the extra ``studio``).

A *round* is one episode in which a person plays one of the two agents. From the bottom up:

    rounds/                                  a round, the view of each role, replay, review
    explore/                                 problems that people change by hand, and their results
    round_service.py, pool.py                worker processes in which methods decide
    store.py                                 the database; every input is on disk before it is acknowledged
    security.py                              keys, checks of requests, limits
    room.py, services.py                     one round and its browser tab; what all handlers share
    connections.py                           limits on connections, and the web socket of a round
    study/                                   studies with people: file, screens, participants, export, report
    app.py, explore_routes.py, study_routes.py   the web addresses
    static/                                  pages, scripts and styles for browsers
    server.py                                the server process
"""
