"""Slack with a user's own token: the part of a workspace that this person sees, as the same documents as from exports."""
