"""``dcc explain``: the page of a check, from its own module."""

from __future__ import annotations

from typing import Annotated

import typer

from ..compiler.canon.lint import every_check
from ..compiler.problem import nearest
from ..compiler.visible import visible


def explain(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE|NAME", help="A code such as DCC201, or a name.")
    ] = None,
) -> None:
    """Explain a finding: what it is, why it matters, and how to mend it. Without a code: list them all."""
    if code is None:
        for module in every_check():
            title = (module.__doc__ or "").splitlines()[0]
            typer.echo(visible(f"{module.CHECK.code}  {module.CHECK.name:24} {module.CHECK.severity:8} {title}"))
        return
    for module in every_check():
        if code.lower() in (module.CHECK.code.lower(), module.CHECK.name):
            check = module.CHECK
            page = (module.__doc__ or "").strip()
            typer.echo(visible(f"# {check.code} {check.name} ({check.severity})\n\n{page}"))
            return
    names = [word for module in every_check() for word in (module.CHECK.code, module.CHECK.name)]
    near = nearest(code, names)
    hint = f"did you mean {near}?" if near else "`dcc explain` lists them all"
    typer.echo(visible(f"dcc explain: no check is called {code or repr(code)}; {hint}"), err=True)
    raise typer.Exit(2)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(explain)
