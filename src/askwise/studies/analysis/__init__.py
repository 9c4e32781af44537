"""Analyse the tables of a study: numbers, figures, verdicts on the paper's claims, and a report.

`write_results` does everything. `analyse` only computes the numbers; `write_tables`, `write_figures`, `write_report`
and `print_short` show them.
"""

from askwise.studies.analysis.claims import claims
from askwise.studies.analysis.comparisons import comparisons
from askwise.studies.analysis.figures import Picture, write_figures
from askwise.studies.analysis.report import write_report, write_results
from askwise.studies.analysis.results import Analysis, analyse, failures, summary, timing_summary, write_tables
from askwise.studies.analysis.tables import Tables, checked
from askwise.studies.analysis.text import in_short, print_short, short_text

__all__ = [
    "Analysis",
    "Picture",
    "Tables",
    "analyse",
    "checked",
    "claims",
    "comparisons",
    "failures",
    "in_short",
    "print_short",
    "short_text",
    "summary",
    "timing_summary",
    "write_figures",
    "write_report",
    "write_results",
    "write_tables",
]
