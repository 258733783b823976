"""Long computations in processes of their own: a bounded pool with a queue, without Streamlit."""
