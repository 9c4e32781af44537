"""Long stress tests of guarantees in the documentation: damaged results, misbehaving agents, malformed files."""
