"""From records to what a reader sees.

``published`` what the paper prints · ``compare`` records next to it · ``verdicts`` ·
``statistics`` · ``claims`` · ``tables`` and ``rendering`` · ``figures``, ``diagrams`` and
``style`` · ``explanations`` · ``scorecard`` · ``artefacts``: each is imported by its own name.
"""
