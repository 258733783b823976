"""The application's entry: streamlit run app.py"""

from metamf.webapp import frame

if __name__ == "__main__":  # not in a process that one of the application's own starts, where it is "__mp_main__"
    frame.draw()
