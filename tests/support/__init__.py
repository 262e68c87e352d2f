"""What tests of several rooms share: small runs, forged certificates, damaged folders, strange tables."""
