"""The definition of a study, the reader of study files, and the columns of the tables of results.

The package `running` plays studies and writes these tables, and `analysis` reads the tables. Both packages import this
package, and neither imports the other.
"""
