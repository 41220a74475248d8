import linecache
import sys
import types


def _part(name, functions, text):
    """What the text defines under the first of these names; the text is a module of its own, as if it were a file."""
    file = name + ".py"
    module = types.ModuleType(name)
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    sys.modules[name] = module
    exec(compile(text, file, "exec"), module.__dict__)
    return next(getattr(module, function) for function in functions if hasattr(module, function))
