"""What some machines forbid, whoever asks and whatever is installed."""

FORBIDDEN = "this machine forbids"  # begins the reason of a skipped test that not even METAMF_REQUIRE can ask for
