"""A door before an openLCA: reads pass, and each write of any client waits until a person has
allowed exactly it."""

from __future__ import annotations

from sayso.packs.openlca.gateway.app import Gateway

__all__ = ["Gateway"]
