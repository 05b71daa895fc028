from hypothesis import HealthCheck, settings

# Kernels may be compiled in the middle of an example, so there is no deadline. Examples are the same in every run, so that a
# failure can be seen by everybody; `pytest --hypothesis-profile=random` tries others.
common = {"deadline": None, "max_examples": 60, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("recbayes", derandomize=True, **common)
settings.register_profile("random", **common)
settings.load_profile("recbayes")
