"""Speed, side by side with what one would use instead, in one run: ``make bench``.

Times depend on the machine, ratios hardly. Every number that is printed is measured here.
"""
