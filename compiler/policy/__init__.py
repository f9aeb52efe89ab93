"""Which tools exist for a model: the policy of a ruleset, compiled to a table of tool x agent x group x provider.

``rules`` holds what a ruleset says, ``steps`` puts it in the order in which it is asked, ``entries`` judges the names
of an allow list, ``verdicts`` applies one step, ``table`` holds the answer of every cell. Nothing here needs the IR
but ``written``, which the checks read with.
"""
