"""What came of a fuzz: inputs for each target, findings by their cause, the slowest inputs."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from fuzz.judged import Judged
from fuzz.pool import Input

SLOWEST = 8
EXAMPLES = 3


@dataclass
class Summary:
    inputs: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    found: dict[tuple[str, str], list[tuple[Input, Judged]]] = field(default_factory=lambda: defaultdict(list))
    slow: list[tuple[float, Input, str]] = field(default_factory=list)

    def add(self, given: Input, judged: Judged) -> None:
        self.inputs[given.target] += 1
        self.refused[given.target] += judged.refused
        self.seconds[given.target] += judged.seconds  # type: ignore[assignment]
        if judged.finding is not None:
            self.found[given.target, judged.group].append((given, judged))
        self.slow = sorted([*self.slow, (judged.seconds, given, judged.text)], key=lambda s: -s[0])[:SLOWEST]

    @property
    def findings(self) -> int:
        return sum(map(len, self.found.values()))

    def text(self) -> str:
        lines = [f"{'target':<18}{'inputs':>8}{'refused':>9}{'findings':>10}{'s each':>9}"]
        for target, count in sorted(self.inputs.items()):
            bad = sum(len(all_) for (name, _), all_ in self.found.items() if name == target)
            refused = f"{self.refused[target] / count:.0%}"
            lines.append(f"{target:<18}{count:>8,}{refused:>9}{bad:>10,}{self.seconds[target] / count:>9.3f}")
        lines += ["", "The slowest:"]
        lines += [f"  {seconds:6.1f} s  {given}  {text[:100]}" for seconds, given, text in self.slow]
        for (target, group), examples in sorted(self.found.items(), key=lambda item: -len(item[1])):
            lines += ["", f"{len(examples)} x {target}: {group}"]
            shortest = sorted(examples, key=lambda e: len(e[1].text))[:EXAMPLES]
            lines += [f"  {given}\n    {judged.text[:300]}" for given, judged in shortest]
            lines.append("    " + (shortest[0][1].finding or "").strip().replace("\n", "\n    ")[-1500:])
        total, kinds = sum(self.inputs.values()), len(self.found)
        lines += ["", f"{total:,} inputs, {self.findings:,} findings of {kinds} kinds."]
        return "\n".join(lines)
