"""The application's entry: streamlit run app.py

Streamlit runs this file for each visitor, and its server imports it as the module ``app`` to set up the middleware.
In a process that the application starts it is "__mp_main__", and nothing happens.
"""

if __name__ == "__main__":
    from metamf.webapp import frame

    frame.draw()
elif __name__ == "app":
    import streamlit as st

    from metamf.webapp import headers
    from metamf.webapp.rooms import session
    from metamf.webapp.serving import start

    start.begin()
    app = st.App(__file__, routes=session.routes(), middleware=[headers.MIDDLEWARE])
