"""Two large tables are joined, grouped and let go; the summary stays."""

import gc

import numpy as np
import pandas as pd

rng = np.random.default_rng(18)


def summary(year):
    orders = pd.DataFrame(
        {
            "customer": rng.integers(0, 20_000, 400_000),
            "price": rng.random(400_000) * 100,
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 365, 400_000), "D"),
        }
    )
    customers = pd.DataFrame({"customer": np.arange(20_000), "region": rng.integers(0, 12, 20_000)})
    joined = orders.merge(customers, on="customer", how="left")
    joined["month"] = joined["day"].dt.month
    result = joined.pivot_table(index="month", columns="region", values="price", aggfunc="sum")
    return result.assign(year=year)


parts = []
for year in range(4):
    parts.append(summary(year))
    gc.collect()
report = pd.concat(parts)
print(report.shape)
