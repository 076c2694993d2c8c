"""An assertion about the data does not hold."""


def check(weights):
    assert abs(sum(weights) - 1) < 1e-6, f"the weights sum to {sum(weights)}"  # <- cause


check([0.25, 0.25, 0.5])
check([0.2, 0.2, 0.2])
