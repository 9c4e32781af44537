"""Goal recognition design: which cells, edges or actions to forbid so that goals can be recognised earlier."""
