"""Unpacks a row that has one field too many."""

lines = ["cat,0.91", "dog,0.73", "a,b,0.5"]
for line in lines:
    label, score = line.split(",")  # <- cause
    print(label, float(score))
