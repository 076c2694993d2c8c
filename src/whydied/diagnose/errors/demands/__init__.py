"""What calls demand of their values, one module for each kind of demand."""
