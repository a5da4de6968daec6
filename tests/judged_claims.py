"""What is compared of a claim that Python and the site's scripts have judged."""

# The same for a claim of the site's ``Argue.argue``.
COUNTS_IN_JAVASCRIPT = """claim.id, claim.word, claim.nParts, claim.supported, claim.contradicted,
  claim.nPrinted, claim.nDetected"""


def counts_of(claim):
    """A claim's id, word and counts, as Python has judged it."""
    verdict = claim.verdict
    return [
        claim.id,
        verdict.word,
        verdict.n_parts,
        verdict.supported,
        verdict.contradicted,
        verdict.n_printed,
        verdict.n_detected,
    ]
