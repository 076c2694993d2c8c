"""The first step whose values are not finite, caught with its inputs and weights. Here: what traced, eager and session
steps share."""
