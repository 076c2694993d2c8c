"""A function that calls itself and has lost its end."""


def depth(node):
    return 1 + depth(node.get("child", node))  # <- cause


print(depth({"child": {}}))
