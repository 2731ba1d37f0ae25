"""Slack with a user's own token: the part of a workspace that this person sees, as the same documents as from exports."""

from __future__ import annotations

import os

from ..account_kind import API_URL, FOLDER, TOKEN_FILE, AccountKind, Secret

ACCOUNT = AccountKind(
    "slack",
    "a workspace of Slack",
    settings=f"{__name__}.settings:SlackSettings",
    connector=f"{__name__}.connector:open_account",
    secrets=(
        Secret("token", "the User OAuth Token of your app of Slack (xoxp-…): api.slack.com/apps, OAuth & Permissions"),
        Secret(
            "app_token",
            "the App-Level Token of your app of Slack (xapp-…): api.slack.com/apps, Basic Information",
            title="token of the app",
            help="of Slack: read the App-Level Token (xapp-…) from this file now, to be told at once what happens",
        ),
    ),
    flags=(FOLDER, TOKEN_FILE, API_URL),
    schedule="1h",
    one_connector=True,
    part="conversation",
    manifest=os.path.join(os.path.dirname(__file__), "manifest.yaml"),  # noqa: PTH118, PTH120 - the light path
)
