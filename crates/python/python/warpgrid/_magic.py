"""Cell magic ``%%ptx`` of IPython and Jupyter."""

from ._module import Module


def register(shell):
    """Registers the cell magic ``%%ptx [NAME]``, which defines a module from the cell.

    Without a name, the cell is analyzed with its ``//@`` annotations, and the report is displayed. With a name, the module is assigned to a
    variable of this name.
    """

    def ptx(line, cell):
        module = Module(cell, name="cell")
        name = line.strip()
        if not name:
            return module.analyze()
        shell.user_ns[name] = module
        return None

    shell.register_magic_function(ptx, "cell", "ptx")
