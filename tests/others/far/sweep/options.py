import argparse


def parser():
    p = argparse.ArgumentParser(description="train a small rain predictor")
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--units", type=int, default=16)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--window", default=24, help="hours of history per sample")  # <- cause
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--tag", default="base")
    return p
