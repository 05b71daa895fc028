from hypothesis import HealthCheck, settings

# Kernels may be compiled in the middle of an example, so there is no deadline.
settings.register_profile("recbayes", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("recbayes")
