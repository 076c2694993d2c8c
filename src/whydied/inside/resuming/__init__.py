"""The state of a training, kept so that another run can go on with it; only where that was asked for."""
