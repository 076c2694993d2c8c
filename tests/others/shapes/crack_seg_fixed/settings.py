from dataclasses import dataclass


@dataclass
class Settings:
    height: int = 64
    width: int = 88
    levels: int = 3
    filters: int = 6
    batch: int = 8
    epochs: int = 2
