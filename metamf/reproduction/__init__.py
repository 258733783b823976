"""The paper's numbers beside ours."""
