"""For our tests and yours: a clock moved by hand, a scripted agent, contract suites."""
