import shlex

from trainer import train

RUNS = [
    "--tag first",
    "--tag wide --units 24",
    "--tag short --window 12 --lr 0.02",
]


def main():
    table = []
    for line in RUNS:
        tag, loss = train(shlex.split(line))
        table.append((loss, tag))
        print(f"{tag}: loss {loss:.4f}")
    print("best:", min(table)[1])


if __name__ == "__main__":
    main()
