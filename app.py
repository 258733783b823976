"""The application's entry: streamlit run app.py

Streamlit runs this file for each visitor, and its server imports it as the module ``app`` to set up the middleware.
In a process that the application starts it is "__mp_main__", and nothing happens.
"""

if __name__ == "__main__":
    from metamf.webapp import frame

    frame.draw()
elif __name__ == "app":
    import os

    for library in ("OMP", "MKL", "OPENBLAS"):  # many visitors compute at once: one core for each
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

    import streamlit as st

    import metamf.answer.methods  # noqa: F401  torch and all methods, before the first visitor comes
    from metamf.webapp import first_paint, headers
    from metamf.webapp.teach.rooms import session

    app = st.App(__file__, routes=[*session.routes(), *first_paint.routes()], middleware=[headers.MIDDLEWARE])
