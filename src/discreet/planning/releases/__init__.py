"""How an answer is drawn, one class for each way."""
