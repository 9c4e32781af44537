"""The words of a report, explained to whoever opens it first."""

from __future__ import annotations

from askwise.studies.schema.domain import StudyWords


def glossary(words: StudyWords, *, files: bool = False, judged: bool = False) -> dict[str, str]:
    """Return each word with its meaning, for a study over files or not, with the paper's claims judged or not."""
    units = (
        "The episodes of a file are the units, so intervals are about these files, not about others; with one episode "
        "for each file, the files are."
        if files
        else "The instance is the unit: several episodes on one map count as one observation."
    )
    found = {
        "marginal cost": "What not knowing the goal cost: the cost of the episode less what it would have cost with "
        "the goal known from the start. A step costs 1, a question its price instead.",
        words.price: f"What each {words.goal} named in a question adds to its price.",
        "prior": f"How likely each goal is before anything is seen: {words.priors}",
        "intervals": f"95 %, Student's t. {units}",
        "pairs": f"All methods meet the same instances, goals and {words.teammate} paths, so they are compared episode "
        "by episode.",
        "p values": "Two-sided. Among many comparisons some are small by chance; Holm's correction allows for that.",
    }
    verdicts = {
        "verdicts": "A claim holds if all its comparisons do; it does not hold if one of them speaks against it; else "
        "this run cannot decide it. What takes less time than the paper says is faster here, which speaks against "
        "nothing. Fewer than 10 pairs decide nothing, and a missing difference counts only with at "
        "least the paper's 100 pairs.",
    }
    return {**found, **verdicts} if judged else found
