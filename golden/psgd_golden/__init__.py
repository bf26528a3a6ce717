"""What golden/generate.py is made of; each module's first comment is its contract. Read cases.py first, then rank.py."""

GENERATOR = "golden/generate.py 2"  # name and version of the generator of golden files
SUITE = "2"  # version of the suite of cases: SUITE_VERSION of conformance/report/report.h

SKIP = 77  # the exit code by which CTest knows a skipped test


class Refused(Exception):
    """Something that the user must see: bad input, a hook that did not do what it must. Printed without a traceback."""
