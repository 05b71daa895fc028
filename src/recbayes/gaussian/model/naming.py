"""Names of rules, as trees show them: unique among the rules of a variable."""

from recbayes.gaussian.model.parts import Split, Variable


def rule_name(variable: Variable, position: int, shift: tuple[int, int] = (0, 0), member: int = 0) -> str:
    """ "split" or "emit", numbered where the variable has several, and the shifts of the children where there are any, or
    which member of an emission it is."""
    rule = variable.rules[position]
    splits = isinstance(rule, Split)
    alike = [number for number, other in enumerate(variable.rules) if isinstance(other, Split) == splits]
    name = "split" if splits else "emit"
    if len(alike) > 1:
        name += f" {alike.index(position) + 1}"
    if isinstance(rule, Split) and (len(rule.shifts) > 1 or shift != (0, 0)):
        name += f" shift {shift[0]}" if shift[1] == 0 else f" shift {shift[0]},{shift[1]}"
    if not isinstance(rule, Split) and hasattr(rule, "members") and rule.members[member].name:
        name += f" {rule.members[member].name}"
    return name
