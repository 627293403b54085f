"""The service's section of a report."""

from __future__ import annotations

from metaroce.loads.requests import make_requests
from metaroce.model.service import Service, Slo
from metaroce.report.document import Report
from metaroce.report.terminal import render
from metaroce.serving.api import simulate, unloaded
from metaroce.serving.floor import floor
from metaroce.serving.slo import availability_verdict, verdict
from metaroce.serving.view import service_section

from .test_api import azure_like


def _page(service, requests):
    runs = [simulate(requests, service, replicas=2, seed=seed) for seed in (1, 2)]
    least = floor(requests, service, unloaded(requests, service))
    section = service_section(
        runs, verdict(runs, service.slos), availability_verdict(runs, service.availability), least
    )
    return render(Report("title", "", (section,)), width=200)


def test_the_page_says_what_was_promised_and_what_came():
    page = _page(Service(), azure_like(300, 5))
    assert "keeps its promises" in page and "P99 ttft" in page and "compute" in page and "floor" in page
    assert "100.0000%" in page


def test_an_objective_out_of_reach_is_shown_as_such():
    service = Service(slos=(Slo(metric="e2e", quantile=0.95, limit="1ms"),))
    page = _page(service, make_requests([0, 1], [5, 10**7], 5))
    assert "does not keep" in page and "never" in page
