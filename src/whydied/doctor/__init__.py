"""What this machine lets us see, and what each missing thing costs in diagnosis."""
