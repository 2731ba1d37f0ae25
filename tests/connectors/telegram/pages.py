"""Pages as Telegram's desktop app writes them: its elements, classes and indentation."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = """<!DOCTYPE html>
<html>

 <head>

  <meta charset="utf-8"/>
<title>Exported Data</title>
  <meta content="width=device-width, initial-scale=1.0" name="viewport"/>

  <link href="css/style.css" rel="stylesheet"/>

  <script src="js/script.js" type="text/javascript">

  </script>

 </head>

 <body onload="CheckLocation();">

  <div class="page_wrap">

   <div class="page_header">

    <div class="content">

     <div class="text bold">
{title}
     </div>

    </div>

   </div>

   <div class="page_body chat_page">

    <div class="history">
"""
TAIL = """
    </div>

   </div>

  </div>

 </body>

</html>
"""


def page(*blocks: str, title: str = "Bob") -> bytes:
    """One page of a chat."""
    return (HEAD.replace("{title}", title) + "".join(blocks) + TAIL).encode()


def separator(text: str, number: int = -1) -> str:
    """The line that names a day."""
    return service(number, text)


def service(number: int, line: str) -> str:
    """A service message."""
    return f"""
     <div class="message service" id="message{number}">

      <div class="body details">
{line}
      </div>

     </div>
"""


def written(
    number: int,
    text: str = "",
    *,
    who: str | None = "Ann Lee",
    time: str = "15.01.2024 12:{minute:02d}:00 UTC+00:00",
    before: str = "",
    after: str = "",
) -> str:
    """A message; without ``who`` it is joined to the one before."""
    name = "" if who is None else f"""
       <div class="from_name">
{who}
       </div>
"""  # fmt: skip
    body = "" if not text else f"""
       <div class="text">
{text}
       </div>
"""  # fmt: skip
    joined = " joined" if who is None else ""
    return f"""
     <div class="message default clearfix{joined}" id="message{number}">

      <div class="pull_left userpic_wrap">

       <div class="userpic userpic1" style="width: 42px; height: 42px">

        <div class="initials" style="line-height: 42px">
AL
        </div>

       </div>

      </div>

      <div class="body">

       <div class="pull_right date details" title="{time.format(minute=number % 60)}">
12:{number % 60:02d}
       </div>
{name}{before}{body}{after}
      </div>

     </div>
"""


def reply(number: int, file: str = "") -> str:
    """The line that names the message that is answered."""
    return f"""
       <div class="reply_to details">
In reply to <a href="{file}#go_to_message{number}" onclick="return GoToMessage({number})">this message</a>
       </div>
"""


def forwarded(name: str | None, text: str) -> str:
    """A message of somebody else, in the body of a message."""
    by = "" if name is None else f"""
        <div class="from_name">
{name}<span class="date details" title="01.01.2024 10:00:00 UTC+00:00"> 01.01.2024 10:00:00</span>
        </div>
"""  # fmt: skip
    return f"""
       <div class="forwarded body">
{by}
        <div class="text">
{text}
        </div>

       </div>
"""


def media(kind: str, title: str = "", status: str = "", *, href: str = "", description: str = "") -> str:
    """A file, a place, a contact: a box with some lines."""
    parts = "".join(
        f'\n         <div class="{name}">\n{words}\n         </div>\n'
        for name, words in (("title bold", title), ("description", description), ("status details", status))
        if words
    )
    tag = f'a class="media clearfix pull_left block_link {kind}" href="{href}"' if href else f'div class="media clearfix pull_left {kind}"'  # fmt: skip
    return f"""
       <div class="media_wrap clearfix">

        <{tag}>

         <div class="fill pull_left">

         </div>

         <div class="body">
{parts}
         </div>

        </{tag.split(maxsplit=1)[0]}>

       </div>
"""


def picture(kind: str, href: str, inside: str = "") -> str:
    """A picture that is shown."""
    return f"""
       <div class="media_wrap clearfix">

        <a class="{kind} clearfix pull_left" href="{href}">
{inside}
         <img class="x" src="{href}_thumb.jpg" style="width: 1px; height: 1px"/>

        </a>

       </div>
"""


def poll(question: str, answers: Sequence[tuple[str, str]], *, state: str, total: str) -> str:
    """A poll with its answers and the words behind each."""
    rows = "".join(
        f'\n         <div class="answer">\n- {text}{f" <span class={chr(34)}details{chr(34)}>{votes}</span>" if votes else ""}\n         </div>\n'
        for text, votes in answers
    )  # fmt: skip
    return f"""
       <div class="media_wrap clearfix">

        <div class="media_poll">

         <div class="question bold">
{question}
         </div>

         <div class="details">
{state}
         </div>
{rows}
         <div class="total details	">
{total}
         </div>

        </div>

       </div>
"""
