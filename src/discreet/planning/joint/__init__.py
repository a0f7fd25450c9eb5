"""Statistics of a question that are answered together: one draw and one charge for several."""
