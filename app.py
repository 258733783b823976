"""The application's entry: streamlit run app.py

Streamlit runs this file for each visitor, and its server imports it as the module ``app`` to set up
the middleware. In a process that the application starts it is "__mp_main__", and nothing happens.
"""

if __name__ == "__main__":
    from metamf.webapp import frame

    frame.draw_app()
elif __name__ == "app":
    import os

    for library in ("OMP", "MKL", "OPENBLAS"):  # many visitors compute at once: one core for each
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

    import streamlit as st
    from starlette.formparsers import MultiPartParser

    from metamf.webapp import visits

    visits.use_own_folder()  # before torch looks for one

    import metamf.answer.methods  # noqa: F401  torch and all methods, before the first visitor comes
    from metamf.webapp import engine, files, headers
    from metamf.webapp.teach.rooms import session

    MultiPartParser.spool_max_size = (
        33 * 2**20
    )  # bytes of an upload that stay in memory: maxUploadSize, and 1 MB
    routes = [*session.routes(), *files.routes(), *headers.routes()]
    app = st.App(__file__, lifespan=engine.serving, routes=routes, middleware=[headers.MIDDLEWARE])
