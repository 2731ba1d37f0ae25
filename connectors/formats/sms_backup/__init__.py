"""SMS Backup & Restore: the XML of text messages, MMS and calls that the Android app saves."""

from __future__ import annotations

from ...connector import Format

FORMATS = (
    Format(
        "sms_backup",
        rank=95,
        connector=f"{__name__}.connector:SmsBackupConnector",
        reads="SMS Backup & Restore: text messages, MMS and calls of Android phones (sms-….xml, calls-….xml)",
        leaves_out="drafts, pictures and sounds beyond their names and sizes, encrypted backups",
        receipts="counted",
    ),
)
