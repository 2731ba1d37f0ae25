"""The scheduling of jobs: schedules, the clock, and the queue of due jobs."""
