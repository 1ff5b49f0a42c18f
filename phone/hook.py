"""What python-for-android cannot be told in buildozer.spec: the provider that lends one file at a time to another app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEMPLATE = Path("templates/AndroidManifest.tmpl.xml")
PROVIDER = """
        <provider android:name="androidx.core.content.FileProvider"
                  android:authorities="{{ args.package }}.files"
                  android:exported="false"
                  android:grantUriPermissions="true">
            <meta-data android:name="android.support.FILE_PROVIDER_PATHS"
                       android:resource="@xml/file_paths" />
        </provider>
    """


def with_provider(manifest: str) -> str:
    """The manifest's template with our provider in it, once."""
    if "FileProvider" in manifest:
        return manifest
    before, end, after = manifest.rpartition("</application>")
    if not end:
        raise SystemExit("The manifest's template has changed: phone/hook.py does not know where to put the provider.")
    return before + PROVIDER.lstrip("\n") + end + after


def before_apk_build(toolchain: Any) -> None:
    """Called by python-for-android in the folder of the distribution, before it fills in the manifest."""
    TEMPLATE.write_text(with_provider(TEMPLATE.read_text(encoding="utf-8")), encoding="utf-8")
