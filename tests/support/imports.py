"""Which files of the package a module's numbers may depend on: those that it imports, directly or not."""

import ast
from importlib import import_module
from pathlib import Path

import kernelgap

ROOT = Path(kernelgap.__file__).parent


def files_behind(*modules):
    """The files of the package that these modules import, at any depth, relative to the package."""
    seen, left = set(), list(modules)
    while left:
        module = left.pop()
        if module not in seen:
            seen.add(module)
            left += _imports(_file(module))
    return {_file(module).relative_to(ROOT).as_posix() for module in seen}


def modules_in(folder):
    """The modules in a folder of the package, and in the folders below it."""
    paths = [path.relative_to(ROOT.parent).with_suffix("") for path in (ROOT / folder).rglob("*.py")]
    return [".".join(path.parts) for path in paths if path.name != "__init__"]


def _file(module):
    path = ROOT.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imports(path):
    found, left = [], [ast.parse(path.read_text(encoding="utf-8"))]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "kernelgap":
            found += [name for alias in node.names for name in _homes(node.module, alias.name)]
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] == "kernelgap"]
        left += ast.iter_child_nodes(node)
    return found


def _homes(module, name):
    """A package whose names are imported when they are first used does not import their modules itself."""
    if _file(f"{module}.{name}").exists():
        return [f"{module}.{name}"]
    home = getattr(getattr(import_module(module), name), "__module__", "") or ""
    return [module, home] if home.split(".")[0] == "kernelgap" else [module]
