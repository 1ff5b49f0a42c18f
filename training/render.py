"""Runs render jobs with a Python that has bpy, and notes where a grid of board points lies in each picture.

BLENDER/bin/python training/render.py --with ../shared/render JOBS/*.json
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from pathlib import Path
from typing import Any

COLUMNS, ROWS = 61, 41
HEIGHTS_MM = (0, 5, 10)


def render(job: dict[str, Any], kit: Any) -> None:
    """Builds the table with the renderer's own parts, renders it and writes OUT.png and OUT.png.cam.json."""
    import bpy
    from mathutils import Vector

    rng = random.Random(job["seed"])
    kit.clear()
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device = "CYCLES", "CPU"
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.max_bounces = job["samples"], True, 3
    scene.render.resolution_x, scene.render.resolution_y = job["res"]
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform, scene.view_settings.exposure = "Standard", -2.5
    width, height = job["board_size"]
    at = kit.board(job["texture"], width, height, rng, job["folds_x"], job["folds_y"])
    kit.table(rng)
    kit.lights(rng, job["hard"])
    corners, _, _ = kit.camera(rng, width, height, job["tilt"], job["res"])
    wagon, station = kit.wagon_mesh(job["wagon"], *job["wagon_size"]), kit.station_mesh()
    plastic = {
        name: kit.principled(
            name,
            color=kit.srgb([min(255, max(0, c + rng.uniform(-10, 10))) for c in tone]),
            rough=rng.uniform(0.25, 0.6),
            spec=0.5,
        )
        for name, tone in job["colors"].items()
    }
    for space in job["spaces"]:
        lay_wagon(space, job, kit, rng, at, wagon, plastic)
    for spot in job["stations"]:
        place = at(spot["u"], spot["v"])
        place.x += rng.gauss(0, 0.0012 * job["jitter"])
        place.y += rng.gauss(0, 0.0012 * job["jitter"])
        place.z += spot.get("z", 0)
        kit.put(station, plastic[spot["color"]], place, rng.uniform(0, 2 * math.pi), "station")
    for spot in job["markers"]:
        place = at(spot["u"], spot["v"]) + Vector((0, 0, 0.0045))
        bpy.ops.mesh.primitive_cylinder_add(radius=0.006, depth=0.009, location=place)
        bpy.context.object.data.materials.append(plastic[spot["color"]])
    for number in range(rng.randint(3, 10)):
        x, y = rng.uniform(-width / 2, width / 2), rng.uniform(-height / 2, height / 2)
        beyond, sign = rng.uniform(0.045, 0.12), rng.choice([-1, 1])
        if rng.random() < 0.5:
            y = sign * (height / 2 + beyond)
        else:
            x = sign * (width / 2 + beyond)
        kit.cardlike(rng, x, y, rng.uniform(0, 6.28), 0.0006 + 0.0003 * number)
    grids = {str(mm): grid_points(at, mm / 1000, job["res"]) for mm in HEIGHTS_MM}
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "PNG", "16"
    scene.render.filepath = job["out"]
    bpy.ops.render.render(write_still=True)
    Path(job["out"] + ".cam.json").write_text(json.dumps({"corners": corners, "grid": [COLUMNS, ROWS], "grids": grids}))


def lay_wagon(
    space: dict[str, Any], job: dict[str, Any], kit: Any, rng: random.Random, at: Any, mesh: Any, plastic: Any
) -> None:
    """One wagon: askew by the job's jitter, slid along or across its space, on its side if the job says so."""
    place = at(space["u"], space["v"])
    angle = -space["angle"]
    along, across = space.get("along", 0), space.get("across", 0)
    place.x += rng.gauss(0, 0.0009 * job["jitter"]) + math.cos(angle) * along - math.sin(angle) * across
    place.y += rng.gauss(0, 0.0009 * job["jitter"]) + math.sin(angle) * along + math.cos(angle) * across
    turn = angle + rng.gauss(0, math.radians(3) * job["jitter"]) + (math.pi if rng.random() < 0.5 else 0)
    laid = kit.put(mesh, plastic[space["color"]], place, turn, "wagon")
    if space.get("side"):
        laid.rotation_euler = (math.pi / 2, 0, turn)
        laid.location.z += job["wagon_size"][1] / 2


def grid_points(at: Any, height: float, res: list[int]) -> list[tuple[float, float]]:
    """Where a grid of board points, raised by `height` metres, appears in the picture."""
    import bpy
    from bpy_extras.object_utils import world_to_camera_view
    from mathutils import Vector

    scene = bpy.context.scene
    bpy.context.view_layer.update()
    points = []
    for row in range(ROWS):
        for column in range(COLUMNS):
            spot = at(column / (COLUMNS - 1), row / (ROWS - 1)) + Vector((0, 0, height))
            seen = world_to_camera_view(scene, scene.camera, spot)
            points.append((round(seen.x * res[0], 3), round((1 - seen.y) * res[1], 3)))
    return points


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--with", dest="kit", type=Path, required=True, help="the folder of the renderer")
    parser.add_argument("jobs", nargs="+", type=Path)
    given = parser.parse_args()
    sys.path = [str(given.kit.resolve()), *(path for path in sys.path if Path(path).resolve() != Path(__file__).parent)]
    import render as kit

    for path in given.jobs:
        job = json.loads(path.read_text())
        if not Path(job["out"]).with_suffix(".jpg").exists():
            render(job, kit)


if __name__ == "__main__":
    main()
