"""What the planner knows of a statistic from public facts: answers, neighbours, priors."""
