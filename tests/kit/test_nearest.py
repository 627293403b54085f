"""What is suggested for names, keys and files that nobody knows."""

from __future__ import annotations

from metaroce.kit.nearest import did_you_mean, key_meant, nearest_file


def test_near_names_are_named_best_first_and_far_ones_are_not():
    assert did_you_mean("h10", ["a100", "h100", "gb200"], "none") == "did you mean h100 or a100?"
    assert did_you_mean("zzz", ["a100"], "known: a100") == "known: a100"


def test_one_key_is_quoted_and_must_be_alike_enough():
    assert key_meant("kmim", ["kmin", "kmax"], "none") == "did you mean 'kmin'?"
    assert key_meant("kxyz", ["kmin"], "none", alike=0.6) == "none"


def test_the_nearest_file_of_the_folder_is_named(tmp_path):
    (tmp_path / "scenario.yaml").touch()
    assert nearest_file(tmp_path / "scenari.yaml") == f"did you mean {tmp_path / 'scenario.yaml'}?"
    assert nearest_file(tmp_path / "none" / "x.yaml") == "check the path"
