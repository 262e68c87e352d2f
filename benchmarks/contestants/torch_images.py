"""PyTorch: the same network, normalisation and augmentation in the loop that anyone would write."""

import json
import sys
from itertools import pairwise

import torch
from stage import perform
from torch import nn
from torch.nn import functional

task = json.loads(sys.argv[1])
torch.set_num_threads(task["threads"])
torch.manual_seed(0)
height, width, channels = task["image"]
n = task["steps"] * task["batch"]
X = torch.randint(0, 256, (n, channels, height, width), dtype=torch.uint8)
Y = torch.arange(n) % 10


class Layer(nn.Module):
    """s(beside + N(W * x)), or with a gate of frozen weights."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.linear = self._part(before, after, stride)
        self.gate = self._part(before, after, stride) if task["gated"] else None
        if self.gate is not None:
            self.gate.load_state_dict(self.linear.state_dict())
            self.gate.requires_grad_(False)

    def _part(self, before: int, after: int, stride: int) -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.GroupNorm(max(1, after // 8), after)
        )

    def forward(self, x: torch.Tensor, beside: torch.Tensor | float = 0.0) -> torch.Tensor:
        z = beside + self.linear(x)
        return torch.relu(z) if self.gate is None else torch.sigmoid(4 * (beside + self.gate(x))) * z


class ResNet8(nn.Module):
    def __init__(self, m: int, stride: int) -> None:
        super().__init__()
        sides = [m // 4, m // 4, m // 2, m]
        self.stem = Layer(channels, sides[0], stride)
        self.first = nn.ModuleList([Layer(a, b, b // a) for a, b in pairwise(sides)])
        self.second = nn.ModuleList([Layer(b, b, 1) for b in sides[1:]])
        self.A = nn.Linear(m, 10, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        for first, second in zip(self.first, self.second, strict=True):
            inside = first(x)
            step = -(-x.shape[2] // inside.shape[2])
            beside = functional.pad(x[:, :, ::step, ::step], (0, 0, 0, 0, 0, inside.shape[1] - x.shape[1]))
            x = second(inside, beside)
        return self.A(x.mean(dim=(2, 3)))


def augmented(x: torch.Tensor) -> torch.Tensor:
    """Each image moved by up to 2 pixels each way, and mirrored or not."""
    padded = functional.pad(x, (2, 2, 2, 2))
    moved = [
        image[:, i : i + height, j : j + width]
        for image, (i, j) in zip(padded, torch.randint(0, 5, (len(x), 2)).tolist(), strict=True)
    ]
    x = torch.stack(moved)
    return torch.where(torch.rand(len(x), 1, 1, 1) < 0.5, x.flip(3), x)


def work() -> None:
    net = ResNet8(task["width"], task["stride"]).to(memory_format=torch.channels_last)
    trained = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=0.1, momentum=0.9, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, task["steps"])
    for rows in torch.randperm(n).split(task["batch"]):
        x = augmented((X[rows].float() / 255 - 0.5) / 0.25).contiguous(memory_format=torch.channels_last)
        optimizer.zero_grad()
        functional.cross_entropy(net(x), Y[rows]).backward()
        optimizer.step()
        schedule.step()


perform(work, warm_up=work)
