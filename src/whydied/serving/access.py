"""Who may read: whoever has the token that the command printed. Pure.

Every user of a machine reaches its loopback address, and so does every page in the browser, by its own scripts or by a
name that it lets point there. So a request needs the token, once in the address and then in a cookie that no other
site's request carries, and must name this very server.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Literal, NamedTuple
from urllib.parse import parse_qs, urlsplit

Ruling = Literal["read", "enter", "refused", "not here"]
_HOSTS = ("127.0.0.1", "localhost")


class Door(NamedTuple):
    """The address of a server and its token."""

    port: int
    token: str

    @property
    def cookie(self) -> str:
        """Cookies are shared by all ports of a host, so the name has the port."""
        return f"whydied-{self.port}"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def ruling(self, target: str, headers: Mapping[str, str]) -> Ruling:
        """What becomes of a request for a target. "enter": the token stands in the address; answer with the cookie."""
        if headers.get("Host", "") not in {f"{host}:{self.port}" for host in _HOSTS}:
            return "not here"
        shown = parse_qs(urlsplit(target).query).get("token", [""])[0]
        if self._is_token(shown):
            return "enter"
        return "read" if self._is_token(self._kept(headers.get("Cookie", ""))) else "refused"

    def _kept(self, cookies: str) -> str:
        try:
            found = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found else ""

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.token.encode("ascii"))
