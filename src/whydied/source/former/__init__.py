"""What pandas, NumPy, scikit-learn, SciPy and Matplotlib once had, and what one writes instead now."""
