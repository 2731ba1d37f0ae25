"""Mailboxes in the shapes that programs write them: Gmail's Takeout, Thunderbird, Maildir, Apple Mail, single mails."""

from __future__ import annotations

TAKEOUT = b"""From 1828000000000000001@xxx Mon Apr 07 14:31:02 +0000 2025
X-GM-THRID: 1828000000000000001
X-Gmail-Labels: =?UTF-8?Q?Posteingang,=22Reise,_S=C3=BCden=22,?=
 Wichtig
Delivered-To: ann@example.org
Received: by 2002:a05:7010:1234:b0:3d:abc with SMTP id x;
        Mon, 7 Apr 2025 07:31:02 -0700 (PDT)
MIME-Version: 1.0
Date: Mon, 7 Apr 2025 16:31:00 +0200
Message-ID: <root@example.com>
Subject: =?utf-8?q?Das_Boot_f=C3=BCr_S=C3=BCden?=
From: =?UTF-8?B?SsO2cmcgTcO8bGxlcg==?= <joerg@example.com>
To: Ann Example <ann@example.org>
Content-Type: multipart/alternative; boundary="000000000000b1"

--000000000000b1
Content-Type: text/plain; charset="UTF-8"
Content-Transfer-Encoding: quoted-printable

Hallo Ann,

das Boot ist verkauft. K=C3=B6nnen wir reden?

--=20
J=C3=B6rg

--000000000000b1
Content-Type: text/html; charset="UTF-8"

<div>Hallo Ann</div>

--000000000000b1--

From 1828000000000000002@xxx Mon Apr 07 15:00:00 +0000 2025
X-GM-THRID: 1828000000000000001
X-Gmail-Labels: Gesendet,Wichtig
MIME-Version: 1.0
Date: Mon, 7 Apr 2025 17:00:00 +0200
Message-ID: <answer@example.org>
In-Reply-To: <root@example.com>
References: <root@example.com>
Subject: =?utf-8?q?Re=3A_Das_Boot_f=C3=BCr_S=C3=BCden?=
From: Ann Example <ann@example.org>
To: =?UTF-8?B?SsO2cmcgTcO8bGxlcg==?= <joerg@example.com>
Content-Type: text/plain; charset="UTF-8"

Ja, morgen um neun.
>From here on it rains.

Am Mo., 7. Apr. 2025 um 16:31 Uhr schrieb =?x?= <joerg@example.com>:

> Hallo Ann,
>
> das Boot ist verkauft.

"""

THUNDERBIRD = b"""From - Mon Apr  7 14:31:02 2025
X-Mozilla-Status: 0001
X-Mozilla-Status2: 00000000
Received: from mail.example.net by mx.example.org with ESMTP id 7 for <ann@example.org>;
 Mon, 7 Apr 2025 14:31:01 +0000
Message-ID: <t1@example.net>
Date: Mon, 07 Apr 2025 14:31:00 +0000
From: Cy <cy@example.net>
To: ann@example.org
Subject: two files
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain; charset=iso-8859-1

Voil\xe0 \x96 two files.
--b
Content-Type: image/jpeg; name="a.jpg"
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="a.jpg"

aGVsbG8gd29ybGQ=
--b
Content-Type: application/pdf
Content-Disposition: attachment;
 filename*0*=UTF-8''%C3%9Cbersicht;
 filename*1*=%202025.pdf
Content-Transfer-Encoding: base64

aGVsbG8=
--b--

From - Mon Apr  7 15:31:02 2025
X-Mozilla-Status: 0009
Message-ID: <t2@example.net>
Date: Mon, 07 Apr 2025 15:31:00 +0000
From: Cy <cy@example.net>
To: ann@example.org
Subject: deleted

gone

"""

SINGLE = b"""Return-Path: <bob@example.com>\r
Received: from a by b; Tue, 8 Apr 2025 09:00:01 +0000\r
From: Bob Example <bob@example.com>\r
To: "Example, Ann" <ann@example.org>, cy@example.net\r
Subject: Fwd: the house\r
Date: Tue, 8 Apr 2025 09:00:00 +0000\r
Message-ID: <single@example.com>\r
MIME-Version: 1.0\r
Content-Type: text/plain; charset=utf-8\r
\r
FYI\r
\r
---------- Forwarded message ---------\r
From: Dee <dee@example.net>\r
Date: Mon, 7 Apr 2025 08:00:00 +0000\r
Subject: the house\r
To: Bob <bob@example.com>\r
\r
I live in Oslo now.\r
"""

HTML = b"""From: Shop <no-reply@shop.example>
To: ann@example.org
Subject: Offers
Date: Wed, 9 Apr 2025 09:00:00 +0000
Message-ID: <html@shop.example>
List-Unsubscribe: <https://shop.example/u>
MIME-Version: 1.0
Content-Type: text/html; charset=utf-8

<html><head><style>p {color: red}</style></head><body><p>Hello <b>Ann</b></p>
<div style="display:none">You live in Rome</div><p>See <a href="https://shop.example/a">our offers</a>.</p>
<img src="https://shop.example/pixel" width="1" height="1" alt="pixel"></body></html>
"""


def emlx(mail: bytes) -> bytes:
    """A mail as Apple Mail keeps it."""
    rest = b'<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>flags</key><integer>1</integer></dict></plist>\n'
    return b"%-10d\n" % len(mail) + mail + rest


MAILDIR = {
    "cur/1744100000.M1P1.host:2,RS": SINGLE.replace(b"\r\n", b"\n"),
    "new/1744200000.M2P1.host": HTML,
    ".Sent/cur/1744300000.M3P1.host:2,S": b"""From: Ann Example <ann@example.org>
To: Bob Example <bob@example.com>
Subject: Re: the house
Date: Thu, 10 Apr 2025 09:00:00 +0000
Message-ID: <m3@example.org>
In-Reply-To: <single@example.com>

Lovely.
""",
}
