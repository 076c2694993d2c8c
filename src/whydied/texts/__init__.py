"""What libraries say when they fail, as values. Pure; used in the user's process and after its death."""
