"""composition -> feature vector (mean / spread / max of the element properties)"""
import os
import re
import numpy as np
import pandas as pd

HERE = os.path.dirname(os.path.abspath(__file__))


def parse_formula(f):
    out = {}
    for el, num in re.findall(r'([A-Z][a-z]?)(\d*\.?\d*)', f):
        out[el] = out.get(el, 0.0) + (float(num) if num else 1.0)
    tot = sum(out.values())
    return {k: v / tot for k, v in out.items()}


def generate_features(df, elem_prop='basic', reset_index=True):
    props = pd.read_csv(HERE
                        + '/elemdata/props/'  # <- cause
                        + elem_prop
                        + '.csv', index_col='element')
    rows = []
    skipped = []
    for i, f in enumerate(df['formula']):
        comp = parse_formula(f)
        if any(e not in props.index for e in comp):
            skipped.append(i)
            continue
        frac = np.array(list(comp.values()))
        mat = props.loc[list(comp.keys())].values
        avg = frac @ mat
        dev = np.sqrt(frac @ (mat - avg) ** 2)
        rows.append(np.concatenate([avg, dev, mat.max(axis=0)]))
    cols = [s + '_' + c for s in ('avg', 'dev', 'max') for c in props.columns]
    X = pd.DataFrame(rows, columns=cols)
    keep = [i for i in range(len(df)) if i not in skipped]
    y = df['target'].iloc[keep]
    formulae = df['formula'].iloc[keep]
    if reset_index:
        y = y.reset_index(drop=True)
        formulae = formulae.reset_index(drop=True)
    return X, y, formulae, skipped
