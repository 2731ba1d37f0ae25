"""When jobs run: schedules, the clock, and the queue of what is due."""
