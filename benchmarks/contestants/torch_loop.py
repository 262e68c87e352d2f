"""PyTorch: the loop that anyone would write, one configuration after another."""

import json
import sys

import torch
from stage import perform
from torch import nn

task = json.loads(sys.argv[1])
torch.set_num_threads(task["threads"])
torch.manual_seed(0)

d, k = 30, 15
X = torch.randint(0, 2, (task["samples"], d)).float() * 2 - 1
F = X[:, 0::2] * X[:, 1::2]
Y = F + 0.3 * F[:, :4].prod(dim=1, keepdim=True) * torch.tensor([(-1.0) ** i for i in range(1, k + 1)])


class ResNet(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.W = nn.Linear(d, width)
        self.V = nn.Linear(k, width)
        self.A = nn.Linear(width, k, bias=False)
        for p in self.parameters():
            nn.init.normal_(p, std=width**-0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out1 = self.A(torch.relu(self.W(x)))
        return out1 + self.A(torch.relu(self.V(out1)))


def train(rate: float, decay: float) -> None:
    net = ResNet(task["width"])
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9, weight_decay=decay)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [task["epochs"] // 2])
    for _ in range(task["epochs"]):
        for rows in torch.randperm(len(X)).split(task["batch"]):
            optimizer.zero_grad()
            loss = 0.5 * ((net(X[rows]) - Y[rows]) ** 2).sum(dim=1).mean()
            loss.backward()
            optimizer.step()
        schedule.step()


def work() -> None:
    for rate, decay in task["grid"]:
        train(rate, decay)


perform(work, warm_up=lambda: train(*task["grid"][0]))
