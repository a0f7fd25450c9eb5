"""Rays: neighbours within some steps on a line, by column generation."""
