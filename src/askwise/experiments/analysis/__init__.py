"""From the tables of a study to numbers, figures, judged claims and a report.

`analyse` does it all at once; each step is a function of its own: `summary`, `failures`, `comparisons`, `claims`,
`write_figures`, `write_report`, `print_short`.
"""
