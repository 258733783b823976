"""What the pages share. ``task``, ``run`` and ``comparison`` hold no Streamlit; everything else here is widgets."""
