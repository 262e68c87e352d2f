"""From what the contenders predicted to an answer: errors, curves, a verdict, the kernel gap, learned features."""
