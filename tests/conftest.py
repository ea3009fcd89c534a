"""What every test shares: examples that Hypothesis draws are the same on every machine and every day."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "postroom",
    derandomize=True,
    deadline=None,  # a shared machine stalls; a slow test is caught by the timeout of pytest
    suppress_health_check=[HealthCheck.too_slow],  # for the same reason
)
settings.load_profile("postroom")
