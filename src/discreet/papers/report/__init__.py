"""One page of HTML with everything: no file beside it, no network, readable on a phone."""
