"""Is a network worth it on a table of one's own? Here: a column that depends on a product of three others.

Run it: python examples/is_a_network_worth_it.py
"""

import numpy as np
import pandas as pd

import kernelgap as kg


def made_up(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(rows, 20))
    table = pd.DataFrame(X, columns=[f"switch_{i}" for i in range(20)])
    table["output"] = 300 + 50 * (X[:, 0] + 0.9 * X[:, 1] * X[:, 2] * X[:, 3] + 0.1 * rng.normal(size=rows))
    return table


def main(rows: int = 2500, budget: str = "5m") -> dict[str, float]:
    table = made_up(rows)
    found = kg.audit(table, target="output", budget=budget, out="runs/switches")
    print(found.sentence)
    print(found.answer.gap.sentence)
    print(found.answer.features.sentence)
    errors = {str(row.contender): float(row.error) for row in found.contenders.itertuples()}
    for name, error in errors.items():
        print(f"{name:16}  {error:.3f}")
    if found.model_path is not None:
        print(found.load_model().predict(table.head(3)))
    print(f"The page: {found.folder / 'report.html'}")
    return errors


if __name__ == "__main__":
    main()
