"""Traces of every format, whole and broken, against the published row counts and against garbage."""

from __future__ import annotations

import csv
import gzip
import json
import resource
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaroce.kit.errors import EXIT_INPUT, InputError
from metaroce.loads import read
from metaroce.loads.read import FORMATS, read_requests

DATA = Path(__file__).resolve().parents[1] / "data" / "traces"
AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
SAMPLES = {
    "azure": AZURE + "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n",
    "azure 2024": AZURE + "2024-05-10 00:00:00.009930+00:00,374,44\n2024-05-10 00:00:04.324509+00:00,396,109\n",
    "azure 2025": "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
    "2025-01-01 00:00:00,1,374,44\n2025-01-01 00:00:04.314579,0,396,109\n",
    "burstgpt": "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,ChatGPT,374,44,418,Conversation log\n9.314579,GPT-4,396,109,505,API log\n",
    "burstgpt with sessions": "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,"
    "Total tokens,Log Type\n5,3,1.5,ChatGPT,374,44,418,Conversation log\n9.314579,4,,GPT-4,396,109,505,API log\n",
    "mooncake": '{"timestamp": 27000, "input_length": 374, "output_length": 44, "hash_ids": [0, 1]}\n'
    '{"timestamp": 31314.579, "input_length": 396, "output_length": 109, "hash_ids": [0]}\n',
    "qwen": '{"chat_id": 1, "parent_chat_id": -1, "timestamp": 61.1, "input_length": 374, "output_length": 44, '
    '"type": "text", "turn": 1, "hash_ids": [1]}\n'
    '{"chat_id": 2, "parent_chat_id": 1, "timestamp": 65.414579, "input_length": 396, "output_length": 109, '
    '"type": "text", "turn": 2, "hash_ids": [1]}\n',
    "servegen": "t,i,o,reason_ratio\n0.0000,374,44,0.21\n4.314579,396,109,0.9\n",
    "plain": "timestamp,input_tokens,output_tokens\n0,374,44\n4.314579,396,109\n",
    "plain, other names": "Arrival Time;Prompt Tokens;Completion-Tokens\n1;374;44\n5.314579;396;109\n",
    "plain ms": "timestamp_ms,input_tokens,output_tokens\n1700000000000,374,44\n1700000004314.579,396,109\n",
    "plain jsonl": '{"time": 1, "prompt_tokens": 374, "completion_tokens": 44}\n'
    '{"time": 5.314579, "prompt_tokens": 396, "completion_tokens": 109}\n',
    "plain with mark, blanks and quotes": '\ufeff\r\n"TIMESTAMP",INPUT_TOKENS,Output_Tokens\r\n\r\n'
    '"0",374,44\r\n4.314579,"396",109',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("read")


def plain_rows(count: int) -> list[str]:
    return [f"{number / 10},{number % 7 + 1},{number % 5 + 1}" for number in range(count)]


def written(
    folder: Path, rows: list[str], name: str = "some.csv", header: str = "timestamp,input_tokens,output_tokens"
) -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="latin-1")
    return path


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("fast", [False, True])
def test_every_format_gives_the_same_two_requests(folder, name, fast, monkeypatch):
    monkeypatch.setattr(read, "SMALL", 0 if fast else 1 << 30)
    path = folder / "trace"
    path.write_text(SAMPLES[name])
    expected = name.split()[0].rstrip(",")
    for format_ in ("auto", expected):
        table, problems = read_requests(path, format=format_)
        assert problems == []
        assert table.arrival_ns.tolist() == [0, 4_314_579_000]
        assert table.input_tokens.tolist() == [374, 396]
        assert table.output_tokens.tolist() == [44, 109]
        assert table.source == f"{expected} trace trace"


def test_excerpts_of_real_traces_hold_what_their_lines_say():
    for file, count in (("azure_conv_2023.csv", 40), ("servegen_deepseek_r1.csv", 40)):
        table, problems = read_requests(DATA / file)
        rows = list(csv.reader((DATA / file).read_text().splitlines()))[1:]
        assert (len(table), problems) == (count, [])
        assert table.input_tokens.tolist() == [int(row[1]) for row in rows]
        assert table.output_tokens.tolist() == [int(row[2]) for row in rows]
    table, problems = read_requests(DATA / "mooncake_conversation.jsonl")
    lines = [json.loads(line) for line in (DATA / "mooncake_conversation.jsonl").read_text().splitlines()]
    assert (len(table), problems) == (24, [])
    assert table.arrival_ns.tolist() == [(line["timestamp"] - lines[0]["timestamp"]) * 10**6 for line in lines]


@pytest.mark.parametrize(
    ("file", "count", "name"),
    [
        ("azure/AzureLLMInferenceTrace_conv.csv", 19_366, "azure"),
        ("azure/AzureLLMInferenceTrace_code.csv", 8_819, "azure"),
        ("mooncake/conversation_trace.jsonl", 12_031, "mooncake"),
        ("servegen/deepseek-r1_10h-12h_seed0.csv", 94_463, "servegen"),
    ],
)
def test_public_traces_are_read_whole(shared, file, count, name):
    table, problems = read_requests(shared / "data" / "traces" / file)
    assert (len(table), problems) == (count, [])
    assert table.source.startswith(name)


@pytest.mark.parametrize(
    "bad",
    [
        "1,2",
        "1,2,3,4",
        "x,2,3",
        "1,-2,3",
        "1,nan,3",
        "1,0,3",
        "1,2,\xff",
        "1,2,\0",
        ",,",
        "-5,1,1",
        '"1,2,3',
        "9e99,1,1",
    ],
)
@pytest.mark.parametrize("fast", [False, True])
def test_a_bad_line_in_the_middle_is_left_out_and_named(folder, bad, fast, monkeypatch):
    monkeypatch.setattr(read, "SMALL", 0 if fast else 1 << 30)
    rows = plain_rows(300)
    path = written(folder, [*rows[:150], bad, *rows[150:]])
    table, problems = read_requests(path)
    assert len(table) == 300
    assert problems[0].where == f"{path}:152"
    assert problems[-1].what == "1 of 301 lines left out"
    with pytest.raises(InputError) as caught:
        read_requests(path, strict=True)
    assert caught.value.where == f"{path}:152"
    assert caught.value.exit_status == EXIT_INPUT


def test_a_cut_last_line_is_left_out(folder):
    path = written(folder, plain_rows(200))
    path.write_bytes(path.read_bytes() + b"20.1,1")
    table, problems = read_requests(path)
    assert len(table) == 200
    assert "2 fields" in problems[0].what


def test_more_than_one_percent_bad_is_an_error_that_counts(folder):
    rows = plain_rows(195)
    path = written(folder, [*rows, "x", "y"])
    with pytest.raises(InputError) as caught:
        read_requests(path)
    assert "2 of 197 lines" in caught.value.what
    assert len(read_requests(written(folder, [*plain_rows(198), "x", "y"]))[0]) == 198


def test_only_the_first_faults_are_named_one_by_one(folder):
    path = written(folder, [*plain_rows(2000), *["x"] * 12])
    _, problems = read_requests(path)
    assert [p.what for p in problems[-2:]] == ["7 more lines cannot be read", "12 of 2,012 lines left out"]
    assert len(problems) == 7


def test_failed_requests_of_burstgpt_are_counted_not_faulty(folder):
    rows = [f"{n},ChatGPT,10,{0 if n % 5 == 0 else 9},19,API log" for n in range(100)]
    path = written(folder, rows, header="Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type")
    table, problems = read_requests(path, strict=True)
    assert len(table) == 80
    assert [p.what for p in problems] == ["20 of 100 requests failed (0 tokens) and are left out"]


def test_times_out_of_order_are_sorted_stably_and_said(folder):
    path = written(folder, ["5,1,1", "3,2,2", "5,3,3", "3,4,4"])
    table, problems = read_requests(path)
    assert table.arrival_ns.tolist() == [0, 0, 2 * 10**9, 2 * 10**9]
    assert table.input_tokens.tolist() == [2, 4, 1, 3]
    assert "step back 2 times" in problems[0].what


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (gzip.compress(b""), "empty"),
        (b"timestamp,input_tokens,output_tokens\n", "a header, but no request"),
        (b"timestamp,input_tokens,output_tokens", "a header, but no request"),
        (bytes(range(256)) * 10, "binary"),
        (b"\x1f\x8bnot really", "damaged"),
        (b"a,b,c\n1,2,3\n", "columns found: 'a', 'b', 'c'"),
        (b"\r\n" * 50 + b"t,i,o\r\n1,2,3\r\n", "columns found"),
        (b"0.1,2,3\n0.2,3,4\n", "columns found: '0.1'"),
        (b'{"a": 1}\n', "columns found: 'a'"),
        (b'{"a": \n', "none can be read"),
        (b"timestamp,input_tokens,output_tokens\nx,y,z\n", "1 of 1 lines are no requests"),
        (b"Timestamp,Request tokens,Response tokens\n1,1,0\n", "marked as failed"),
    ],
)
def test_files_without_a_trace_say_why(folder, content, said):
    path = folder / "no trace"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_requests(path)
    assert said in caught.value.what
    assert caught.value.exit_status == EXIT_INPUT
    assert str(path) in (caught.value.where or "")


def test_an_unknown_format_lists_the_known_ones_and_the_columns(folder):
    path = written(folder, ["1,2"], header="when,what")
    with pytest.raises(InputError) as caught:
        read_requests(path)
    assert "'when', 'what'" in caught.value.what
    assert all(name in (caught.value.hint or "") for name in FORMATS)
    with pytest.raises(InputError, match="not in azure format"):
        read_requests(path, format="azure")
    with pytest.raises(InputError, match="no trace format"):
        read_requests(path, format="excel")


def test_a_cut_archive_gives_its_requests_and_a_problem(folder):
    rng = np.random.default_rng(1)
    text = "timestamp,input_tokens,output_tokens\n" + "".join(
        f"{t},{i},5\n" for t, i in enumerate(rng.integers(1, 9**6, 50_000))
    )
    packed = gzip.compress(text.encode())
    path = folder / "cut.csv.gz"
    path.write_bytes(packed[: len(packed) // 2])
    table, problems = read_requests(path)
    assert 10_000 < len(table) < 50_000
    assert "ends before its end mark" in " ".join(p.what for p in problems)
    with pytest.raises(InputError):
        read_requests(path, strict=True)


@given(st.binary(max_size=400), st.sampled_from(["", *SAMPLES.values()]), st.booleans(), st.booleans())
def test_garbage_raises_nothing_but_input_errors(folder, tail, head, fast, pack):
    content = head.encode() + tail
    path = folder / "garbage"
    path.write_bytes(gzip.compress(content) if pack else content)
    before, read.SMALL = read.SMALL, 0 if fast else 1 << 30
    try:
        table, _ = read_requests(path)
    except InputError as error:
        assert error.what
        return
    finally:
        read.SMALL = before
    assert len(table) > 0
    assert table.arrival_ns[0] == 0
    assert np.all(np.diff(table.arrival_ns) >= 0)
    assert table.input_tokens.min() >= 1
    assert table.output_tokens.min() >= 1


@given(st.integers(0, 10**6), st.binary(min_size=1, max_size=8))
def test_a_damaged_real_trace_is_read_or_refused(folder, at, patch):
    content = bytearray((DATA / "azure_conv_2023.csv").read_bytes())
    at %= len(content)
    content[at : at + len(patch)] = patch
    path = folder / "patched.csv"
    path.write_bytes(content)
    try:
        table, problems = read_requests(path)
    except InputError:
        return
    assert len(table) <= 40
    assert len(table) == 40 or problems


def test_a_stream_of_many_blocks_keeps_order_lines_and_faults(folder, monkeypatch):
    monkeypatch.setattr(read, "SMALL", 0)
    count = 200_000
    rows = [f"{number}.5,{number % 1000 + 1},{number % 77 + 1}" for number in range(count)]
    rows[123_456] = "broken"
    path = written(folder, rows, "long.csv")
    monkeypatch.setattr("metaroce.loads.lines.line_blocks.__kwdefaults__", {"block": 50_000})
    shares = []
    table, problems = read_requests(path, progress=lambda what, share: shares.append(share))
    assert len(table) == count - 1
    kept = np.delete(np.arange(count), 123_456)
    assert np.array_equal(table.arrival_ns, kept * 10**9)
    assert np.array_equal(table.input_tokens, kept % 1000 + 1)
    assert np.array_equal(table.output_tokens, kept % 77 + 1)
    assert problems[0].where == f"{path}:{123_456 + 2}"
    assert len(shares) > 20
    assert shares == sorted(shares)


def test_interrupting_the_progress_stops_the_reading(folder):
    def stop(what: str, share: float | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_requests(written(folder, plain_rows(10)), progress=stop)


@pytest.mark.slow
def test_ten_million_azure_rows_load_in_bounded_memory(folder):
    path = folder / "ten_million.csv"
    start = np.datetime64("2024-05-10T00:00:00", "ns")
    block = 250_000
    with path.open("w") as file:
        file.write("TIMESTAMP,ContextTokens,GeneratedTokens\n")
        for number in range(40):
            times = start + (np.arange(number * block, (number + 1) * block) * 60_480_000).astype("timedelta64[ns]")
            text = np.char.replace(np.datetime_as_string(times, unit="us"), "T", " ").tolist()
            file.write("".join(f"{when}+00:00,{at % 4000 + 1},{at % 400 + 1}\n" for at, when in enumerate(text)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    table, problems = read_requests(path)
    path.unlink()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert (len(table), problems) == (10_000_000, [])
    assert table.arrival_ns[-1] == (10_000_000 - 1) * 60_480_000
    assert grown < 1.5e9
