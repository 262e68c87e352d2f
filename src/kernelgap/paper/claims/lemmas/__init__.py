"""What the proofs rest on: lemmas, facts and propositions of the appendix."""
