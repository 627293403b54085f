"""`roce presets`: which scenarios come with MetaRoCE."""

from __future__ import annotations

from metaroce.apps.cli.options import AsJson


def presets(as_json: AsJson = False) -> None:
    """List the scenarios that come with MetaRoCE.

    \b
    Examples:
      roce presets
      roce scenario init my.yaml --preset sla-tightening     start your own from one
    """
    from textwrap import wrap

    from metaroce.apps.cli.output import write_json, write_text
    from metaroce.study.preset_files import preset_document, preset_names

    found = [(name, str(preset_document(name).data.get("description", ""))) for name in preset_names()]
    if as_json:
        write_json([{"name": name, "description": description} for name, description in found])
        return
    width = max((len(name) for name, _ in found), default=0) + 2
    rows = []
    for name, description in found:
        rows += wrap(description, 110, initial_indent=name.ljust(width), subsequent_indent=" " * width) or [name]
    write_text("\n".join(rows))
