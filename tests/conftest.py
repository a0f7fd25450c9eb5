"""One way to run the property tests: no deadlines, and far more examples in a soak."""

import os

from hypothesis import HealthCheck, settings

_HEALTH = [HealthCheck.too_slow]
settings.register_profile("plain", deadline=None, suppress_health_check=_HEALTH, max_examples=50)
settings.register_profile("soak", deadline=None, suppress_health_check=_HEALTH, max_examples=1000)
settings.load_profile("soak" if os.environ.get("DISCREET_SOAK") else "plain")
