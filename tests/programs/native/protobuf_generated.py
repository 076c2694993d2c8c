"""Generated code that the installed protobuf refuses, in its words."""


def load_messages():
    raise TypeError("Descriptors cannot be created directly.\nRegenerate the code with protoc >= 3.19.0.")  # <- cause


load_messages()
