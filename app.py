"""The application's entry: streamlit run app.py"""

from metamf.webapp import frame

frame.draw()
