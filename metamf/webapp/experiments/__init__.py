"""Experiments of the pages on one matrix. None of these modules imports Streamlit."""
