"""Started by child_python_fails.py."""

settings = {"epochs": "ten"}
print(int(settings["epochs"]))  # <- cause
