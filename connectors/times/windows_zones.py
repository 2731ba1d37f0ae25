"""The zones of Windows, under the names that Outlook and Exchange write. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_TABLE = """
Afghanistan=Asia/Kabul
Alaskan=America/Anchorage
Arab=Asia/Riyadh
Arabian=Asia/Dubai
Arabic=Asia/Baghdad
Argentina=America/Argentina/Buenos_Aires
Atlantic=America/Halifax
AUS Central=Australia/Darwin
AUS Eastern=Australia/Sydney
Azerbaijan=Asia/Baku
Azores=Atlantic/Azores
Bahia=America/Bahia
Bangladesh=Asia/Dhaka
Belarus=Europe/Minsk
Canada Central=America/Regina
Cape Verde=Atlantic/Cape_Verde
Caucasus=Asia/Yerevan
Cen. Australia=Australia/Adelaide
Central=America/Chicago
Central America=America/Guatemala
Central Asia=Asia/Almaty
Central Brazilian=America/Cuiaba
Central Europe=Europe/Budapest
Central European=Europe/Warsaw
Central Pacific=Pacific/Guadalcanal
Central (Mexico)=America/Mexico_City
China=Asia/Shanghai
E. Africa=Africa/Nairobi
E. Australia=Australia/Brisbane
E. Europe=Europe/Chisinau
E. South America=America/Sao_Paulo
Eastern=America/New_York
Eastern (Mexico)=America/Cancun
Egypt=Africa/Cairo
Ekaterinburg=Asia/Yekaterinburg
Fiji=Pacific/Fiji
FLE=Europe/Kyiv
Georgian=Asia/Tbilisi
GMT=Europe/London
Greenland=America/Nuuk
Greenwich=Atlantic/Reykjavik
GTB=Europe/Bucharest
Hawaiian=Pacific/Honolulu
India=Asia/Kolkata
Iran=Asia/Tehran
Israel=Asia/Jerusalem
Jordan=Asia/Amman
Kaliningrad=Europe/Kaliningrad
Korea=Asia/Seoul
Libya=Africa/Tripoli
Mauritius=Indian/Mauritius
Middle East=Asia/Beirut
Montevideo=America/Montevideo
Morocco=Africa/Casablanca
Mountain=America/Denver
Mountain (Mexico)=America/Mazatlan
Myanmar=Asia/Yangon
N. Central Asia=Asia/Novosibirsk
Namibia=Africa/Windhoek
Nepal=Asia/Kathmandu
New Zealand=Pacific/Auckland
Newfoundland=America/St_Johns
North Asia=Asia/Krasnoyarsk
North Asia East=Asia/Irkutsk
Pacific=America/Los_Angeles
Pacific (Mexico)=America/Tijuana
Pacific SA=America/Santiago
Pakistan=Asia/Karachi
Paraguay=America/Asuncion
Romance=Europe/Paris
Russian=Europe/Moscow
SA Eastern=America/Cayenne
SA Pacific=America/Bogota
SA Western=America/La_Paz
SE Asia=Asia/Bangkok
Samoa=Pacific/Apia
Singapore=Asia/Singapore
South Africa=Africa/Johannesburg
Sri Lanka=Asia/Colombo
Syria=Asia/Damascus
Taipei=Asia/Taipei
Tasmania=Australia/Hobart
Tokyo=Asia/Tokyo
Tonga=Pacific/Tongatapu
Turkey=Europe/Istanbul
US Eastern=America/Indiana/Indianapolis
US Mountain=America/Phoenix
Ulaanbaatar=Asia/Ulaanbaatar
Venezuela=America/Caracas
Vladivostok=Asia/Vladivostok
W. Australia=Australia/Perth
W. Central Africa=Africa/Lagos
W. Europe=Europe/Berlin
West Asia=Asia/Tashkent
West Pacific=Pacific/Port_Moresby
Yakutsk=Asia/Yakutsk
"""
_ZONES = {name.casefold(): zone for name, _, zone in (line.partition("=") for line in _TABLE.splitlines() if line)}
"""Zones by their Windows names in small letters without "Standard Time" behind them; Unicode's table of 2024 (001, the whole world)."""
_NAME = re.compile(r"(.+?) (?:(?:Standard|Daylight|Summer) ?)?Time(?: (\(Mexico\)))?", re.IGNORECASE)
_LONGEST = 100


@lru_cache(maxsize=256)
def windows_zone(name: str) -> ZoneInfo | None:
    """Return the zone of a name such as ``W. Europe Standard Time`` or ``Pacific Daylight Time``; None if it is none."""
    match = _NAME.fullmatch(" ".join(name[:_LONGEST].split()))
    if match is None:
        return None
    key = _ZONES.get((f"{match[1]} {match[2]}" if match[2] else match[1]).casefold())
    try:
        return None if key is None else ZoneInfo(key)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
