"""What python-for-android cannot be told in buildozer.spec: the provider that lends one file at a time to another app,
and that the keyboard moves the window up until the field can be seen."""

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
ACTIVITY = '<activity android:name="{{args.android_entrypoint}}"'
PANS = f'{ACTIVITY}\n                  android:windowSoftInputMode="adjustPan"'


def with_ours(manifest: str) -> str:
    """The manifest's template with our provider and the keyboard's manners in it, once."""
    if "FileProvider" in manifest:
        return manifest
    before, end, after = manifest.replace(ACTIVITY, PANS).rpartition("</application>")
    if not end or manifest.count(ACTIVITY) != 1:
        raise SystemExit("The manifest's template has changed: phone/hook.py does not know its way about it.")
    return before + PROVIDER.lstrip("\n") + end + after


def before_apk_build(toolchain: Any) -> None:
    """Called by python-for-android in the folder of the distribution, before it fills in the manifest."""
    TEMPLATE.write_text(with_ours(TEMPLATE.read_text(encoding="utf-8")), encoding="utf-8")
