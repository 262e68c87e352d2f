"""The commands: parse, call one library function, show."""

import sys
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from kernelgap import console
from kernelgap.cli import failing
from kernelgap.cli.audit import audit
from kernelgap.cli.catalogue import list_
from kernelgap.cli.certify import certify, verify
from kernelgap.cli.claims import claims
from kernelgap.cli.compare import compare
from kernelgap.cli.curve import curve
from kernelgap.cli.help import HELP, GroupedHelp
from kernelgap.cli.play import play
from kernelgap.cli.predict import predict
from kernelgap.cli.report import report
from kernelgap.cli.run import run
from kernelgap.cli.status import status
from kernelgap.errors import InputError


class Commands(GroupedHelp):
    """Tells Ctrl-C and a file that ends too early apart: typer aborts at both."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:  # that of a run says what is stored
            stored = f"; {interrupt}. The same command goes on from there." if str(interrupt) else "."
            console.message(f"kernelgap: interrupted{stored}")
            raise SystemExit(130) from None
        except EOFError as error:
            raise InputError(f"A file ends before its content does ({error}): it may be damaged.") from error


app = typer.Typer(
    name="kernelgap",
    cls=Commands,
    help="When does a neural network beat every kernel method, by how much, and can it be proved?",
    epilog="Every command explains itself: kernelgap run -h. Start with: kernelgap run fig2a",
    no_args_is_help=True,
    context_settings=HELP,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


app.add_typer(certify, rich_help_panel="Prove")
for group, commands in {
    "Reproduce": (run, claims, status),
    "Prove": (verify,),
    "Predict": (curve,),
    "Decide": (audit, compare, predict),
    "Show": (report, play),
}.items():
    for command in commands:
        app.command(rich_help_panel=group)(command)
app.command("list", rich_help_panel="Show")(list_)


def run_app() -> int:
    """Run the command that was typed; an error becomes one sentence and an exit code (``failing``)."""
    if isinstance(sys.stdout, TextIOWrapper):  # a file's name may hold what is no Unicode
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
            code = 0
        except SystemExit as done:  # how typer ends
            code = done.code if isinstance(done.code, int) else 0
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        failing.quiet_end()
        return 1
    except Exception as error:
        return failing.end_with(error)
    return code


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        console.answer(f"kernelgap {version('kernelgap')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
