"""The state of a training, kept so that another run can go on with it, or the user can; only where that was asked for."""
