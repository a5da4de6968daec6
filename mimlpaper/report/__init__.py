"""From records to what a reader sees.

``published`` what the paper prints · ``compare`` records next to it · ``verdicts`` ·
``statistics`` · ``claims`` · ``multiverse`` · ``unseen`` · ``tables`` and ``rendering`` ·
``figures`` and ``diagrams`` · ``explanations`` · ``play`` · ``scorecard``: each is imported by its
own name.
"""
