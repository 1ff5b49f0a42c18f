"""buildozer.spec, read by buildozer itself, ordered by python-for-android itself, and packed as buildozer would pack it."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("buildozer")
pytest.importorskip("pythonforandroid")

ROOT = Path(__file__).resolve().parents[2]
ANDROID = "{http://schemas.android.com/apk/res/android}"
SMALLEST_NEEDED = {"opencv": "4.12.0", "numpy": "v2.3.0", "kivy": "2.3.1", "pyjnius": "1.7.0", "python3": "3.14.2"}
"""What the recipes of the pinned release build; `make android-versions` runs the suite with the first two."""
PAYLOAD = 12_000_000
PARTS = ("companion", "calibration", "maps")
LEFT_OUT = re.compile(r"\.pot?$|\.schema\.json$|^calibration/(bundled|samples)\.py$")
"""What of the product stays at home: catalogues before they are built, schemas, and what only a developer runs."""
WATCH = """
import sys, json
opened = []
root = sys.argv[1]
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
import cv2
read_net = cv2.dnn.readNetFromONNX  # OpenCV opens its files itself, unheard by Python
cv2.dnn.readNetFromONNX = lambda path: opened.append(path) or read_net(path)
sys.stdout = open("/dev/null", "w")
from companion.cli import main
main(["demo"])
main(["maps", "--json"])
from companion.samples import load_sample
for name in ("europe", "marklin", "new-york"):
    load_sample(name).photo.open("rb").close()
sys.stderr.write(json.dumps([p for p in opened if p.startswith(root)]))
"""


@pytest.fixture(scope="module")
def spec() -> Any:
    from buildozer.specparser import SpecParser

    parser = SpecParser()
    parser.read(ROOT / "buildozer.spec", "utf-8")
    return parser


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that buildozer's own code would hand to python-for-android."""
    from buildozer import Buildozer

    goal = tmp_path_factory.mktemp("app")

    class Here(Buildozer):  # type: ignore[misc]
        app_dir = str(goal / "app")

    Here(filename=str(ROOT / "buildozer.spec"))._copy_application_sources()
    return goal / "app"


def packed_names(packed: Path) -> set[str]:
    return {p.relative_to(packed).as_posix() for p in packed.rglob("*") if p.is_file()}


def test_buildozer_finds_no_fault_in_the_spec() -> None:
    from buildozer import Buildozer
    from buildozer.targets.android import TargetAndroid

    here = Buildozer(filename=str(ROOT / "buildozer.spec"))
    here.targetname = "android"
    here.check_configuration_tokens()
    TargetAndroid(here).check_configuration_tokens()


def test_the_spec_says_what_we_mean(spec: Any) -> None:
    def told(key: str) -> str:
        return str(spec.get("app", key))

    assert spec.getlist("app", "android.archs") == ["arm64-v8a"]
    assert int(told("android.api")) >= 36, "asked of new apps by the Play store since 31 August 2026"
    assert int(told("android.minapi")) == int(told("android.ndk_api"))
    assert int(re.sub(r"\D", "", told("android.ndk"))) >= 28, "pages of 16 KB"
    assert told("p4a.commit").startswith("v20"), "a release, not a moving branch"
    for key in ("icon", "icon.adaptive_foreground", "icon.adaptive_background", "presplash"):
        assert Path(spec.get("app", f"{key}.filename").replace("%(source.dir)s", str(ROOT))).is_file()
    files = ("android.res_xml", "p4a.hook", "android.extra_manifest_application_arguments")
    assert all((ROOT / told(key)).is_file() for key in files)
    version = re.search(told("version.regex"), (ROOT / "companion" / "__init__.py").read_text())
    assert version is not None


def test_recipes_make_a_buildable_set(spec: Any) -> None:
    from pythonforandroid import __version__, recommendations
    from pythonforandroid.bootstrap import Bootstrap
    from pythonforandroid.build import Context
    from pythonforandroid.graph import get_recipe_order_and_bootstrap
    from pythonforandroid.recipe import Recipe

    context = Context()
    context.recipe_build_order = []
    wanted = [name.strip() for name in spec.getlist("app", "requirements")]
    chosen = Bootstrap.get_bootstrap(spec.get("app", "p4a.bootstrap"), context)
    order, modules, bootstrap = get_recipe_order_and_bootstrap(context, wanted, chosen)
    assert bootstrap.name == "sdl2"
    assert modules and "platformdirs" in modules, "what has no recipe must be plain Python"
    assert set(modules) <= {"platformdirs", "certifi", "chardet", "idna", "requests", "urllib3", "filetype", "six"}
    for before, after in (
        ("python3", "numpy"),
        ("numpy", "opencv"),
        ("sdl2", "kivy"),
        ("pyjnius", "kivy"),
        ("android", "kivy"),
    ):
        assert order.index(before) < order.index(after)
    found = {name: str(Recipe.get_recipe(name, context).version) for name in SMALLEST_NEEDED}
    assert found == SMALLEST_NEEDED
    least = int(spec.get("app", "android.minapi"))
    assert all(getattr(Recipe.get_recipe(name, context), "min_ndk_api_support", 0) <= least for name in order)
    assert spec.get("app", "p4a.commit") == f"v{__version__}"
    assert spec.get("app", "android.ndk") == recommendations.RECOMMENDED_NDK_VERSION


def test_what_the_app_opens_is_packed(packed: Path) -> None:
    names = packed_names(packed)
    ran = subprocess.run([sys.executable, "-c", WATCH, str(ROOT)], cwd=ROOT, capture_output=True, text=True, check=True)
    opened = {Path(p).relative_to(ROOT).as_posix() for p in json.loads(ran.stderr.splitlines()[-1])}
    opened = {p for p in opened if not p.startswith(".") and "__pycache__" not in p}
    assert {"companion/sample/europe/board.jpg", "companion/vision/weights/spaces.onnx"} <= opened
    assert any(p.endswith("signature.npz") for p in opened)
    assert opened <= names, f"opened, but not packed: {sorted(opened - names)}"


def test_whatever_is_added_to_the_product_is_packed(packed: Path) -> None:
    """A file with an ending that the spec does not name would be missing on the phone alone."""
    there = {p.relative_to(ROOT) for part in PARTS for p in (ROOT / part).rglob("*") if p.is_file()}
    wanted = {p.as_posix() for p in there if "__pycache__" not in p.parts and not LEFT_OUT.search(p.as_posix())}
    assert {Path(name).suffix for name in wanted} >= {".kv", ".png", ".wav", ".otf", ".ttf", ".mo", ".npz", ".onnx", ".gz"}
    assert wanted == {name for name in packed_names(packed) if name.split("/")[0] in PARTS}


def test_nothing_else_is_packed(packed: Path) -> None:
    names = packed_names(packed)
    assert "main.py" in names
    assert {name.split("/")[0] for name in names} == {"main.py", "LICENSE", *PARTS}
    assert not [
        name for name in names if re.search(r"(^|/)(tests?|docs|training|shared)(/|$)|\.(po|pot|schema\.json)$", name)
    ]


def test_no_packed_module_asks_for_one_that_is_not(packed: Path) -> None:
    names = packed_names(packed)
    own = ("companion", "calibration", "tests", "bench", "training", "tools")
    for path in packed.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            asked = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                asked = [node.module]
            for name in asked:
                if name.split(".")[0] in own:
                    there = name.replace(".", "/")
                    assert {f"{there}.py", f"{there}/__init__.py"} & names, f"{path.name} imports {name}"


def test_the_payload_is_small(packed: Path) -> None:
    data = [p for p in packed.rglob("*") if p.is_file() and p.suffix != ".py"]
    assert sum(p.stat().st_size for p in data) < PAYLOAD


def test_the_manifest_from_the_real_template(spec: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import jinja2
    import pythonforandroid

    found = importlib.util.spec_from_file_location("hook", ROOT / "phone" / "hook.py")
    assert found is not None and found.loader is not None
    hook = importlib.util.module_from_spec(found)
    found.loader.exec_module(hook)
    source = Path(pythonforandroid.__file__).parent / "bootstraps/_sdl_common/build/templates/AndroidManifest.tmpl.xml"
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / source.name).write_text(source.read_text())
    monkeypatch.chdir(tmp_path)
    hook.before_apk_build(SimpleNamespace())
    hook.before_apk_build(SimpleNamespace())
    args = SimpleNamespace(package="org.railcompanion.railcompanion", min_sdk_version=24, meta_data=[])
    args.permissions = [{"name": name} for name in spec.getlist("app", "android.permissions", [])]  # as buildozer asks
    args.extra_manifest_application_arguments = (ROOT / "phone" / "application.txt").read_text()
    for name in (
        "android_used_libs",
        "add_activity",
        "wakelock",
        "billing_pubkey",
        "intent_filters",
        "home_app",
        "launcher",
    ):
        setattr(args, name, [])
    template = jinja2.Environment(undefined=jinja2.ChainableUndefined).from_string(
        (tmp_path / "templates" / source.name).read_text()
    )
    manifest = ElementTree.fromstring(template.render(args=args, android_api=36, service_data=[], native_services=[]))
    providers = manifest.findall("application/provider")
    assert len(providers) == 1
    assert providers[0].get(f"{ANDROID}authorities") == "org.railcompanion.railcompanion.files"
    assert providers[0].get(f"{ANDROID}exported") == "false"
    assert manifest.findall("uses-permission") == []
    application, activity = manifest.find("application"), manifest.find("application/activity")
    assert application is not None and activity is not None
    assert application.get(f"{ANDROID}enableOnBackInvokedCallback") == "false", "the back gesture reaches the app"
    kept = str(activity.get(f"{ANDROID}configChanges")).split("|")
    assert {"orientation", "screenSize", "uiMode", "density"} <= set(kept), "turning the phone does not start it anew"
    assert activity.get(f"{ANDROID}windowSoftInputMode") == "adjustPan", "the keyboard moves the window, which SDL counts on"


def test_only_two_folders_can_be_lent_from() -> None:
    paths = ElementTree.parse(ROOT / "phone" / "file_paths.xml").getroot()
    assert {p.get("path") for p in paths} == {"companion/photos/incoming/", "companion/photos/outgoing/"}
