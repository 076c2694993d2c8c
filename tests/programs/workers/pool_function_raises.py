"""The function of a pool fails in a worker; the pool hands the exception to the main process."""

import multiprocessing

LIMITS = {"low": 0.1, "high": 0.9}


def threshold(row):
    return row["value"] > LIMITS[row["level"]]  # <- cause


if __name__ == "__main__":
    rows = [{"value": 0.5, "level": level} for level in ("low", "high", "middle")]
    with multiprocessing.Pool(2) as pool:
        print(pool.map(threshold, rows))
