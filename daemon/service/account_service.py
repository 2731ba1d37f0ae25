"""Accounts over the API: looking at one before it is a source, and storing what it is logged in to with."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from anyio import to_thread

from ...connectors.live.account_registry import ACCOUNT_KINDS
from ...connectors.live.contract import LiveAccount
from ...schemas.errors import InvalidError, NotFoundError
from ..config.account_secrets import store_secrets, stored_secrets
from ..config.settings import Settings
from ..config.source_settings import SourceSettings
from ..operation_progress import OperationProgress, ReportProgress
from ..sources.accounts import secrets_of
from ..sources.repository import JobState, RegisteredSource
from .requests import CheckSourceRequest, LoginSourceRequest
from .source_service import SourceService

if TYPE_CHECKING:
    from .answers.sources import AccountAnswer


class AccountService:
    """The operations that only accounts have.

    Args:
        settings: of the daemon.
        sources: the service that registers them.
    """

    def __init__(self, settings: Settings, sources: SourceService) -> None:
        self._settings = settings
        self._sources = sources

    async def check(self, request: CheckSourceRequest, tell: ReportProgress) -> AccountAnswer:
        """Log in to an account, and see what is in it; nothing is kept.

        Raises:
            InvalidError: the settings cannot be used, or are those of no account.
            SourceError: it cannot be looked at.
        """
        settings = await self._sources.usable(request.settings)
        _require_account(settings)
        secrets = secrets_of(settings, request.secrets)
        tell(OperationProgress(f"logging in to {settings.name}"))
        if secrets:
            return await self._look(settings, secrets)
        await self._require_known(settings)
        return await self._view(settings, await to_thread.run_sync(self._sources.accounts.connector, settings))

    async def login(self, request: LoginSourceRequest, tell: ReportProgress) -> AccountAnswer:
        """Store the secrets of an account; one that had stopped goes on.

        Raises:
            NotFoundError: there is no source of this name.
            InvalidError: it is no account, or has no such secrets.
            SourceError: the login was refused, or could not be tried; nothing is stored.
        """
        source = await self._sources.repository.get(request.name)
        _require_account(source.settings)
        secrets = secrets_of(source.settings, request.secrets)
        if not secrets:
            raise InvalidError("there is nothing to store", hint="give the password of the account, or its tokens")
        # Of several secrets, those that are not given anew stay.
        secrets = await to_thread.run_sync(stored_secrets, source.settings, self._settings.data_dir) | secrets
        body: AccountAnswer = {"name": request.name, "checked": False, "parts": (), "notes": ()}
        if request.check:
            tell(OperationProgress(f"logging in to {request.name}"))
            body = await self._look(source.settings, secrets)
        async with self._sources.keeping_secrets:
            source = await self._same(source)
            secrets.pop("access_token", None)  # it is valid for an hour, and was renewed meanwhile if it was not
            await to_thread.run_sync(store_secrets, source.settings, self._settings.data_dir, secrets)
        if (await self._sources.repository.states()).get(source.settings.job, JobState()).stopped:
            await self._sources.jobs.resume(source)
        else:  # what listens does so with what is stored
            await self._sources.jobs.schedule_source(source, forget=False)
        return body

    async def _same(self, source: RegisteredSource) -> RegisteredSource:
        """The source as it is now: it may have been removed or changed while somebody logged in.

        Raises:
            NotFoundError: there is none of this name any more.
            InvalidError: it is another account.
        """
        now = await self._sources.repository.get(source.settings.name)
        if now.settings.account != source.settings.account:
            raise InvalidError("the source was changed meanwhile", hint="log in again")
        return now

    async def _require_known(self, settings: SourceSettings) -> None:
        """Raises InvalidError: what is stored under this name is for another account, or for none."""
        try:
            account = (await self._sources.repository.get(settings.name)).settings.account
        except NotFoundError:
            account = ""
        if account != settings.account:
            hint = "what is stored is for another account" if account else "nothing is stored for it"
            raise InvalidError("the account needs its secret", hint=hint)

    async def _look(self, settings: SourceSettings, secrets: MutableMapping[str, str]) -> AccountAnswer:
        """Log in with these secrets, and return what the account contains; a secret that the provider renews replaces
        the old one.
        """
        return await self._view(
            settings, await to_thread.run_sync(self._sources.accounts.with_secrets, settings, secrets)
        )

    async def _view(self, settings: SourceSettings, account: LiveAccount) -> AccountAnswer:
        view = await account.look()
        return {"name": settings.name, "checked": True, "parts": view.parts, "notes": view.notes}


def _require_account(settings: SourceSettings) -> None:
    if settings.kind not in ACCOUNT_KINDS:
        raise InvalidError(f"the source {settings.name!r} is no account", hint=f"accounts: {', '.join(ACCOUNT_KINDS)}")
