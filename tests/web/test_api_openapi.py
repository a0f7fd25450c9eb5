"""schemathesis over the OpenAPI document: no 5xx, no status and no reply that is not documented."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from served_api import serving

EXAMPLES = 100 if os.environ.get("DISCREET_SOAK") else 5


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    with serving(
        tmp_path_factory.mktemp("openapi"),
        most_bytes=10**8,
        patience=0.2,
        failures=10**6,
        anonymous_rate=10**6,
        most_jobs=10**6,
    ) as running:
        yield running


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_every_operation_keeps_to_its_document(api, mode):
    schema = schemathesis.openapi.from_url(f"{api.client.base_url}/openapi.json")
    headers = {"Authorization": f"Bearer {api.tokens['otto']}"}
    seen = set()
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate], database=None,
        )  # fmt: skip
        @given(operation.as_strategy(generation_mode=mode))
        def keeps(case):
            # What a good SELECT is, no JSON Schema can say: 422 is a proper reply to the others.
            reply = case.call_and_validate(
                headers=headers, excluded_checks=[positive_data_acceptance]
            )
            seen.add(reply.status_code)

        try:
            keeps()
        except Unsatisfiable:
            continue  # an operation without parameters cannot be called wrongly
        except Exception as problem:
            problem.add_note(f"{operation.label}, {mode.value}")
            raise
    assert len(seen) > 1
