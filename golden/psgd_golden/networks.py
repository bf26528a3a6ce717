"""What recordings are made of: networks, their data, how they are trained. Needs PyTorch and scikit-learn.

A network here fits one bucket, is trained without random numbers but those of its first values, and names itself in
words that go into the file. Read record.py next.
"""

from typing import Callable, NamedTuple

import torch
from torch import nn


class Training(NamedTuple):
    network: Callable  # () -> module; takes images [count, 1, 8, 8], gives logits [count, 10]
    rate: float  # of stochastic gradient descent with MOMENTUM
    model: str  # the network in words


MOMENTUM = 0.9


def convolutional():
    """2146 parameters. At rank 2 and rate 2 all matrices but the first layer's (6 x 9) are compressed."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 3),
        nn.ReLU(),
        nn.Conv2d(6, 12, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(48, 24),
        nn.ReLU(),
        nn.Linear(24, 10),
    )


class Attention(nn.Module):
    """Multi-head self-attention of four square matrices of one shape: a group for same-shape batching."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):  # [count, tokens, width]
        def split(y):  # -> [count, heads, tokens, width / heads]
            return y.unflatten(2, (self.heads, -1)).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        weights = torch.softmax(query @ key.transpose(2, 3) / query.shape[3] ** 0.5, dim=3)
        return self.out((weights @ value).transpose(1, 2).flatten(2))


class Transformer(nn.Module):
    """One block, its norms before attention and MLP; 2698 parameters. The tokens are the 8 rows of 8 pixels. At rate 2
    all matrices are compressed at rank 2; at rank 4 the MLP's two alone: the 16 x 16 ones are exactly at the limit."""

    def __init__(self, width=16, heads=2, hidden=32):
        super().__init__()
        self.embedding = nn.Linear(8, width)
        self.position = nn.Parameter(torch.randn(8, width) * 0.1)
        self.norm_attention, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
        self.norm_out, self.classifier = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, images):
        x = self.embedding(images.squeeze(1)) + self.position
        x = x + self.attention(self.norm_attention(x))
        x = x + self.mlp(self.norm_mlp(x))
        return self.classifier(self.norm_out(x).mean(dim=1))


TRAININGS = {
    "digits-cnn": Training(
        convolutional,
        0.1,
        "convolutions 1-6-12 of 3x3 with ReLU, 2x2 max pooling, linear layers 48-24-10 with ReLU between",
    ),
    "digits-transformer": Training(
        Transformer,
        0.1,
        "one pre-norm transformer block: 8 tokens of 8 pixels, linear embedding to width 16, learned positions, "
        "2 heads of attention (four 16x16 matrices), MLP 16-32-16 with GELU, layer norms, mean over tokens, "
        "linear classifier 16-10",
    ),
}

DATA = "scikit-learn's digits / 16; rank k has every W-th image from k on, in order"


def shard(rank, world):
    """Every world-th digit from rank on: images [count, 1, 8, 8], labels [count]."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    return images[rank::world], torch.tensor(digits.target)[rank::world]
