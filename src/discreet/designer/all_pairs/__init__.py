"""All pairs: one record can lead anywhere, in closed form."""
