import torch
from torch import nn


def batches(count):
    for _ in range(count):
        yield torch.randn(512, 2000), torch.randn(512, 1)


model = nn.Sequential(nn.Linear(2000, 1500), nn.ReLU(), nn.Linear(1500, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
losses = []
for x, y in batches(60):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(sum(losses) / len(losses))
