"""Many visitors at once.

visits.py : a class that visits the app;  rooms.py : a class in a room
beside.py : a class beside a visitor who computes something heavy
session.py : one visitor, by Streamlit's own protocol
"""
