"""The studio: a web server on which a person plays the teammate or the ego agent, and a program plays the other agent.

It needs ``pip install '.[studio]'``. A *round* is one episode that a person plays. The modules, from the innermost to
the outermost::

    rounds/                                  a round, what each role may see, replay, review
    explore/                                 problems that people change by hand, and their results
    round_service.py, pool.py                worker processes in which methods decide
    store.py                                 the database; inputs are on disk before they are acknowledged
    security.py                              keys, checks of requests, limits
    room.py, services.py                     one round and its browser tab; what all requests share
    connections.py                           limits on connections; the web socket of a round
    study/                                   studies with people: file, screens, participants, export, report
    app.py, explore_routes.py, study_routes.py   the web addresses
    static/                                  pages, scripts and styles
    server.py                                the server process
"""
